#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "fp_png.h"

struct fp_png_writer {
  png_structp png;
  png_infop info;
  uint8_t *bytes;
  size_t count;
  size_t capacity;
  bool out_of_memory;
  char message[128];
  // Where errors go to: set anew by each function that calls libpng.
  jmp_buf failed;
};

static void on_error(png_structp png, png_const_charp message) {
  fp_png_writer *writer = png_get_error_ptr(png);
  strncpy(writer->message, message, sizeof writer->message - 1);
  longjmp(writer->failed, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void on_write(png_structp png, png_bytep source, size_t length) {
  fp_png_writer *writer = png_get_io_ptr(png);
  if (length > writer->capacity - writer->count) {
    size_t needed = writer->count + length;
    size_t grown = writer->capacity < 16384 ? 16384 : writer->capacity + writer->capacity / 2;
    if (grown < needed) grown = needed;
    uint8_t *bytes = needed < length ? NULL : realloc(writer->bytes, grown);
    if (bytes == NULL) {
      writer->out_of_memory = true;
      png_error(png, "no memory");
    }
    writer->bytes = bytes;
    writer->capacity = grown;
  }
  memcpy(writer->bytes + writer->count, source, length);
  writer->count += length;
}

static void on_flush(png_structp png) { (void)png; }

static png_voidp on_allocate(png_structp png, png_alloc_size_t size) {
  void *memory = malloc(size);
  fp_png_writer *writer = png_get_mem_ptr(png);
  if (memory == NULL && writer != NULL) writer->out_of_memory = true;
  return memory;
}

static void on_free(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}

static fp_png_writer_status failure(const fp_png_writer *writer) {
  return writer->out_of_memory ? FP_PNG_WRITER_NO_MEMORY : FP_PNG_WRITER_FAILED;
}

// Writes everything before the pixels.
static bool begin(fp_png_writer *writer, const fp_png_settings *settings) {
  static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(writer->failed)) return false;
  writer->png =
      png_create_write_struct_2(PNG_LIBPNG_VER_STRING, writer, on_error, on_warning, writer, on_allocate, on_free);
  if (writer->png == NULL) return false;
  writer->info = png_create_info_struct(writer->png);
  if (writer->info == NULL) return false;
  png_set_write_fn(writer->png, writer, on_write, on_flush);
  png_set_user_limits(writer->png, settings->width, settings->height);
  png_set_IHDR(
      writer->png, writer->info, settings->width, settings->height, 8, types[settings->channels - 1],
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(writer->png, settings->compression);
  // Each row takes the filter with the least sum of absolute differences (PNG, third edition, 12.7): a rule without
  // chance. Without compression filters are of no use.
  png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, settings->compression == 0 ? PNG_FILTER_NONE : PNG_ALL_FILTERS);
  png_write_info(writer->png, writer->info);
  return true;
}

fp_png_writer *fp_png_writer_create(const fp_png_settings *settings) {
  if (settings->channels < 1 || settings->channels > 4) return NULL;
  fp_png_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return NULL;
  if (!begin(writer, settings)) {
    fp_png_writer_destroy(writer);
    return NULL;
  }
  return writer;
}

void fp_png_writer_destroy(fp_png_writer *writer) {
  if (writer == NULL) return;
  if (writer->png != NULL) png_destroy_write_struct(&writer->png, &writer->info);
  free(writer->bytes);
  free(writer);
}

fp_png_writer_status fp_png_writer_write_rows(
    fp_png_writer *writer, const uint8_t *rows, size_t stride, uint32_t count) {
  if (setjmp(writer->failed)) return failure(writer);
  for (uint32_t row = 0; row < count; row++) png_write_row(writer->png, rows + row * stride);
  return FP_PNG_WRITER_OK;
}

fp_png_writer_status fp_png_writer_finish(fp_png_writer *writer, uint8_t **bytes, size_t *count) {
  if (setjmp(writer->failed)) return failure(writer);
  png_write_end(writer->png, writer->info);
  *bytes = writer->bytes;
  *count = writer->count;
  writer->bytes = NULL;
  writer->count = 0;
  writer->capacity = 0;
  return FP_PNG_WRITER_OK;
}

const char *fp_png_writer_message(const fp_png_writer *writer) { return writer->message; }
