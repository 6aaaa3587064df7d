// glibc's settings of its allocator, which Swift's overlay of the C library leaves out.
#ifndef FETCH_PIPELINE_CMALLOC_SHIM_H
#define FETCH_PIPELINE_CMALLOC_SHIM_H

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#endif
