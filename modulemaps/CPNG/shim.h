// libpng.
#ifndef FETCH_PIPELINE_CPNG_SHIM_H
#define FETCH_PIPELINE_CPNG_SHIM_H

#include <png.h>

#endif
