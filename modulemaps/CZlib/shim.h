// zlib, and wrappers for what Swift cannot import: an initialiser that is a macro.
#ifndef FETCH_PIPELINE_CZLIB_SHIM_H
#define FETCH_PIPELINE_CZLIB_SHIM_H

#include <zlib.h>

// Prepares for gzip members (RFC 1952) alone: 15 bits of window, plus 16 for the header.
static inline int czlib_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
