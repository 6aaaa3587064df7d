// Little CMS, with its pixel formats as functions: they are macros that Swift cannot read.
#ifndef FETCH_PIPELINE_CLCMS2_SHIM_H
#define FETCH_PIPELINE_CLCMS2_SHIM_H

#include <lcms2.h>

// A chunky format of `channels` colours and `extra` others, `bytes` a sample (1 or 2), in the machine's byte order.
static inline cmsUInt32Number fp_lcms_format(int space, int channels, int extra, int bytes) {
  return COLORSPACE_SH(space) | CHANNELS_SH(channels) | EXTRA_SH(extra) | BYTES_SH(bytes);
}

enum { fp_lcms_gray = PT_GRAY, fp_lcms_rgb = PT_RGB, fp_lcms_cmyk = PT_CMYK };

#endif
