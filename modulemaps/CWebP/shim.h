// libwebp: decoder, encoder and demuxer.
#ifndef FETCH_PIPELINE_CWEBP_SHIM_H
#define FETCH_PIPELINE_CWEBP_SHIM_H

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

#endif
