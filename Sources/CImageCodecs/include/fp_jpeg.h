// JPEG through libjpeg(-turbo). The library reports errors by longjmp: none leaves these functions.
#ifndef FETCH_PIPELINE_JPEG_H
#define FETCH_PIPELINE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

enum { FP_JPEG_COMPONENTS = 4, FP_JPEG_MESSAGE = 256 };

typedef enum {
  FP_JPEG_OK,
  // The library gave up: see `fp_jpeg_notes`.
  FP_JPEG_FAILED,
  // The checkpoint said no.
  FP_JPEG_STOPPED,
  FP_JPEG_TOO_MANY_SCANS,
  FP_JPEG_NO_MEMORY,
} fp_jpeg_status;

// What kind of error made the library give up.
typedef enum {
  FP_JPEG_ERROR_NONE,
  FP_JPEG_ERROR_CORRUPT,
  // Legal, and not something that the library can do.
  FP_JPEG_ERROR_UNSUPPORTED,
  FP_JPEG_ERROR_TOO_BIG,
} fp_jpeg_error;

// What the library said of the data so far.
typedef struct {
  fp_jpeg_error error;
  // The error; else the first flaw that cost something; else the first one.
  char message[FP_JPEG_MESSAGE];
  // The data ended where more was expected.
  bool ended_early;
  // Times that a segment of coded data ended before its blocks did.
  int missing_data;
  // Times that coded data could not be right.
  int corrupt_data;
  // Components of which no scan has come.
  int missing_components;
  // Some coefficients have not come in full: scans are missing, or were never made.
  bool lacks_precision;
  // Flaws that cost nothing: bytes between segments, odd markers.
  int harmless;
} fp_jpeg_notes;

typedef enum {
  FP_JPEG_SPACE_OTHER,
  FP_JPEG_SPACE_GRAY,
  FP_JPEG_SPACE_YCC,
  FP_JPEG_SPACE_RGB,
  FP_JPEG_SPACE_CMYK,
  FP_JPEG_SPACE_YCCK,
} fp_jpeg_space;

typedef struct {
  int width;
  int height;
  int components;
  fp_jpeg_space space;
  // What the coefficients take, which are all kept where the picture comes in several scans; else 0.
  size_t coefficient_bytes;
  int horizontal[FP_JPEG_COMPONENTS];
  int vertical[FP_JPEG_COMPONENTS];
  // The blocks of 8×8 that each component has.
  int block_columns[FP_JPEG_COMPONENTS];
  int block_rows[FP_JPEG_COMPONENTS];
} fp_jpeg_header;

// How the components come out under a scale.
typedef struct {
  // The samples of a block's side: 1, 2, 4 or 8.
  int block_side[FP_JPEG_COMPONENTS];
  // The size of a decode that is not planar.
  int width;
  int height;
} fp_jpeg_scaled;

// Says whether to go on; called every few milliseconds.
typedef bool (*fp_jpeg_checkpoint)(void *_Nullable user);

typedef struct fp_jpeg_decoder fp_jpeg_decoder;

fp_jpeg_decoder *_Nullable fp_jpeg_decoder_create(void);
void fp_jpeg_decoder_destroy(fp_jpeg_decoder *_Nullable decoder);

// Reads the headers of a picture, which must stay where it is until the decoder is closed.
fp_jpeg_status fp_jpeg_decoder_open(
    fp_jpeg_decoder *_Nonnull decoder, const uint8_t *_Nonnull bytes, size_t count, fp_jpeg_header *_Nonnull header);

// The TIFF block of the first EXIF segment before the first scan, in place; NULL where there is none.
const uint8_t *_Nullable fp_jpeg_decoder_exif(const fp_jpeg_decoder *_Nonnull decoder, size_t *_Nonnull count);

// The `index`-th part of the ICC profile before the first scan, in place: its number, how many there are, and data. NULL
// behind the last one.
const uint8_t *_Nullable fp_jpeg_decoder_profile_part(
    const fp_jpeg_decoder *_Nonnull decoder, int index, size_t *_Nonnull count);

// Some of a picture's bytes.
typedef struct {
  size_t offset;
  size_t count;
} fp_jpeg_part;

enum { FP_JPEG_PARTS = 64 };

// Behind the headers, has the decoder read these parts of the picture's bytes alone, in order, as though there were no
// others. The first one begins where the headers end. False, and nothing is changed, where that is not so or there are more
// than FP_JPEG_PARTS.
bool fp_jpeg_decoder_choose(
    fp_jpeg_decoder *_Nonnull decoder, const fp_jpeg_part *_Nonnull parts, size_t count);

// How the picture comes out at scale/8. May be called several times before decoding.
fp_jpeg_status fp_jpeg_decoder_scale(fp_jpeg_decoder *_Nonnull decoder, int scale, fp_jpeg_scaled *_Nonnull scaled);

// Decodes the components as they are stored, at the scale last asked for. `planes[i]` has room for `rows[i]` rows,
// block_columns × block_side samples each, `strides[i]` bytes apart.
fp_jpeg_status fp_jpeg_decoder_read_planes(
    fp_jpeg_decoder *_Nonnull decoder, uint8_t *_Nullable const planes[_Nonnull], const size_t strides[_Nonnull],
    const int rows[_Nonnull], int scan_limit, fp_jpeg_checkpoint _Nonnull checkpoint, void *_Nullable user);

// Decodes to interleaved samples, at the scale last asked for: RGB of RGB, CMYK of CMYK and YCCK (as stored: Adobe's files
// are inverted).
fp_jpeg_status fp_jpeg_decoder_read_pixels(
    fp_jpeg_decoder *_Nonnull decoder, uint8_t *_Nonnull pixels, size_t stride, int scan_limit,
    fp_jpeg_checkpoint _Nonnull checkpoint, void *_Nullable user);

// How many bytes have been read for certain, up to a few before the place of a failure.
size_t fp_jpeg_decoder_offset(const fp_jpeg_decoder *_Nonnull decoder);

void fp_jpeg_decoder_notes(const fp_jpeg_decoder *_Nonnull decoder, fp_jpeg_notes *_Nonnull notes);

// Lets the picture go; the decoder can open another.
void fp_jpeg_decoder_close(fp_jpeg_decoder *_Nonnull decoder);

typedef struct {
  int width;
  int height;
  int quality;
  bool is_progressive;
  // 1: gray. 3: YCbCr planes, or RGB pixels.
  int components;
  // Of the first component against the others: 1 or 2.
  int horizontal;
  int vertical;
} fp_jpeg_options;

typedef struct fp_jpeg_encoder fp_jpeg_encoder;

fp_jpeg_encoder *_Nullable fp_jpeg_encoder_create(void);
void fp_jpeg_encoder_destroy(fp_jpeg_encoder *_Nullable encoder);

// Encodes planes of gray or YCbCr. `*output` is to be freed by the caller; it is NULL after a failure.
fp_jpeg_status fp_jpeg_encoder_write_planes(
    fp_jpeg_encoder *_Nonnull encoder, const fp_jpeg_options *_Nonnull options,
    const uint8_t *_Nullable const planes[_Nonnull], const size_t strides[_Nonnull], const int widths[_Nonnull],
    const int heights[_Nonnull], fp_jpeg_checkpoint _Nonnull checkpoint, void *_Nullable user,
    uint8_t *_Nullable *_Nonnull output, size_t *_Nonnull count);

// Encodes RGB pixels.
fp_jpeg_status fp_jpeg_encoder_write_pixels(
    fp_jpeg_encoder *_Nonnull encoder, const fp_jpeg_options *_Nonnull options, const uint8_t *_Nonnull pixels,
    size_t stride, fp_jpeg_checkpoint _Nonnull checkpoint, void *_Nullable user,
    uint8_t *_Nullable *_Nonnull output, size_t *_Nonnull count);

void fp_jpeg_encoder_notes(const fp_jpeg_encoder *_Nonnull encoder, fp_jpeg_notes *_Nonnull notes);

// The version of the library, three numbers; 0 for one that is not libjpeg-turbo.
int fp_jpeg_library_version(void);

#endif
