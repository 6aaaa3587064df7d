// PNG through libpng. The library reports errors by longjmp: none leaves these functions.
#ifndef FETCH_PIPELINE_PNG_H
#define FETCH_PIPELINE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

enum { FP_PNG_MESSAGE = 128 };

typedef enum {
  FP_PNG_OK,
  FP_PNG_FAILED,
  // The data ended where more was expected.
  FP_PNG_ENDED_EARLY,
  FP_PNG_NO_MEMORY,
} fp_png_status;

typedef struct {
  int width;
  int height;
  // The channels and bits of a sample as rows are delivered: 1 to 4, and 8 or 16 (in the machine's byte order).
  int channels;
  int bits;
  // The times that the rows are gone through: 1, or 7 where the picture is interlaced.
  int passes;
} fp_png_header;

typedef struct fp_png_reader fp_png_reader;

fp_png_reader *_Nullable fp_png_reader_create(void);
void fp_png_reader_destroy(fp_png_reader *_Nullable reader);

// Reads everything before the rows. The bytes must stay where they are until the reader is destroyed.
fp_png_status fp_png_reader_open(
    fp_png_reader *_Nonnull reader, const uint8_t *_Nonnull bytes, size_t count, fp_png_header *_Nonnull header);

// Reads the next `count` rows of a pass into memory `stride` bytes apart. Rows of an interlaced picture are completed pass
// by pass: they have to be the same memory each time.
fp_png_status fp_png_reader_read_rows(fp_png_reader *_Nonnull reader, uint8_t *_Nonnull rows, size_t stride, int count);

// Reads what stands behind the rows.
fp_png_status fp_png_reader_finish(fp_png_reader *_Nonnull reader);

// The ICC profile; NULL where there is none that the library could read.
const uint8_t *_Nullable fp_png_reader_profile(const fp_png_reader *_Nonnull reader, size_t *_Nonnull count);

// The times that the library has warned of a flaw which costs no pixel.
int fp_png_reader_warnings(const fp_png_reader *_Nonnull reader);

// The error that made the library give up, or the first warning.
const char *_Nonnull fp_png_reader_message(const fp_png_reader *_Nonnull reader);

typedef struct {
  int width;
  int height;
  // 1: gray. 2: gray and alpha. 3: RGB. 4: RGBA.
  int channels;
  // 0 to 9, zlib's.
  int compression;
} fp_png_options;

// Encodes 8-bit pixels. `*output` is to be freed by the caller, also where it is not NULL after a failure.
fp_png_status fp_png_write(
    const fp_png_options *_Nonnull options, const uint8_t *_Nonnull pixels, size_t stride,
    uint8_t *_Nullable *_Nonnull output, size_t *_Nonnull count);

// The version of the library.
const char *_Nonnull fp_png_library_version(void);

#endif
