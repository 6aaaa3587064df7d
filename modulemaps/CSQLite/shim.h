// SQLite.
#ifndef FETCH_PIPELINE_CSQLITE_SHIM_H
#define FETCH_PIPELINE_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
