// libjpeg-turbo. Its header uses FILE and size_t without declaring them.
#ifndef FETCH_PIPELINE_CJPEG_SHIM_H
#define FETCH_PIPELINE_CJPEG_SHIM_H

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#endif
