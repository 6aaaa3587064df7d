// libcurl, with a typed wrapper for each kind of argument of its variadic setters and getters: Swift cannot call those.
#ifndef FETCH_PIPELINE_CCURL_SHIM_H
#define FETCH_PIPELINE_CCURL_SHIM_H

#include <curl/curl.h>

// The type-checking macros of curl's header are of no use to the wrappers and hide the functions.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

static inline CURLcode fp_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fp_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fp_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fp_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fp_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*fp_curl_data_callback)(char *data, size_t size, size_t count, void *user);

static inline CURLcode fp_curl_set_data_callback(CURL *handle, CURLoption option, fp_curl_data_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fp_curl_set_opensocket_callback(CURL *handle, curl_opensocket_callback value) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode fp_curl_set_closesocket_callback(CURL *handle, curl_closesocket_callback value) {
  return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode fp_curl_set_prereq_callback(CURL *handle, curl_prereq_callback value) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode fp_curl_set_progress_callback(CURL *handle, curl_xferinfo_callback value) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode fp_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode fp_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode fp_curl_get_pointer(CURL *handle, CURLINFO info, void *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLSHcode fp_curl_share(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

static inline CURLMcode fp_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

#endif
