// libdeflate.
#ifndef FETCH_PIPELINE_CDEFLATE_SHIM_H
#define FETCH_PIPELINE_CDEFLATE_SHIM_H

#include <libdeflate.h>

#endif
