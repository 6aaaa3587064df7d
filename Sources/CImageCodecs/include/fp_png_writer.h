// Writes PNG with libpng. Every call returns: libpng's errors do not leave it by longjmp.
#ifndef FETCH_PIPELINE_PNG_WRITER_H
#define FETCH_PIPELINE_PNG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One write of one file.
typedef struct fp_png_writer fp_png_writer;

typedef struct fp_png_settings {
  uint32_t width;
  uint32_t height;
  // Samples of a pixel, of 8 bits each: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
  uint32_t channels;
  // zlib's level, 0...9.
  int compression;
} fp_png_settings;

typedef enum {
  FP_PNG_WRITER_OK,
  FP_PNG_WRITER_FAILED,
  // The system has no memory.
  FP_PNG_WRITER_NO_MEMORY,
} fp_png_writer_status;

// A writer whose header is written; NULL where there is no memory or a setting is wrong.
fp_png_writer *fp_png_writer_create(const fp_png_settings *settings);
void fp_png_writer_destroy(fp_png_writer *writer);

// Writes the next `count` rows, `stride` bytes apart.
fp_png_writer_status fp_png_writer_write_rows(
    fp_png_writer *writer, const uint8_t *rows, size_t stride, uint32_t count);

// Ends the file. Its `count` bytes are the caller's, to be freed.
fp_png_writer_status fp_png_writer_finish(fp_png_writer *writer, uint8_t **bytes, size_t *count);

const char *fp_png_writer_message(const fp_png_writer *writer);

#endif
