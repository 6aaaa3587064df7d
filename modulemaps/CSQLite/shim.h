// SQLite, and wrappers for what Swift cannot import: a destructor that is a cast of -1.
#ifndef FETCH_PIPELINE_CSQLITE_SHIM_H
#define FETCH_PIPELINE_CSQLITE_SHIM_H

#include <sqlite3.h>

// Binds a copy of `length` bytes of UTF-8.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

// Binds a copy of `length` bytes.
static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

#endif
