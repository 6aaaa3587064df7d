#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

#include "fp_png.h"

enum { FIRST_OUTPUT = 65536 };

typedef struct {
  jmp_buf escape;
  fp_png_status status;
  uint8_t *output;
  size_t count;
  size_t capacity;
} writer;

static void on_error(png_structp png, png_const_charp message) {
  (void)message;
  writer *self = png_get_error_ptr(png);
  if (self->status == FP_PNG_OK) self->status = FP_PNG_FAILED;
  longjmp(self->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  writer *self = png_get_io_ptr(png);
  if (count > self->capacity - self->count) {
    size_t capacity = self->capacity ? self->capacity * 2 : FIRST_OUTPUT;
    while (capacity - self->count < count) capacity *= 2;
    uint8_t *grown = realloc(self->output, capacity);
    if (!grown) {
      self->status = FP_PNG_NO_MEMORY;
      png_error(png, "no memory");
    }
    self->output = grown;
    self->capacity = capacity;
  }
  memcpy(self->output + self->count, bytes, count);
  self->count += count;
}

static void flush(png_structp png) {
  (void)png;
}

static const int color_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                  PNG_COLOR_TYPE_RGB_ALPHA};

// Everything between creation and destruction, so that no local of the caller is at the mercy of longjmp.
static fp_png_status write_image(
    png_structp png, png_infop info, writer *self, const fp_png_options *options, const uint8_t *pixels,
    size_t stride) {
  if (setjmp(self->escape)) return self->status;
  png_set_write_fn(png, self, write_bytes, flush);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_compression_level(png, options->compression);
  png_set_compression_strategy(png, Z_FILTERED);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, options->compression == 0 ? PNG_FILTER_NONE : PNG_ALL_FILTERS);
  png_set_IHDR(
      png, info, (png_uint_32)options->width, (png_uint_32)options->height, 8, color_types[options->channels],
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int row = 0; row < options->height; row++) png_write_row(png, pixels + (size_t)row * stride);
  png_write_end(png, info);
  return FP_PNG_OK;
}

fp_png_status fp_png_write(
    const fp_png_options *options, const uint8_t *pixels, size_t stride, uint8_t **output, size_t *count) {
  *output = NULL;
  *count = 0;
  if (options->channels < 1 || options->channels > 4) return FP_PNG_FAILED;
  writer *self = calloc(1, sizeof *self);
  if (!self) return FP_PNG_NO_MEMORY;
  fp_png_status status = FP_PNG_NO_MEMORY;
  png_structp volatile created = NULL;
  if (!setjmp(self->escape)) created = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  png_structp png = created;
  // Without an error to report, this returns NULL where there is no memory.
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) status = write_image(png, info, self, options, pixels, stride);
  png_destroy_write_struct(&png, &info);
  *output = self->output;
  *count = self->count;
  free(self);
  return status;
}
