#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "fp_png.h"

struct fp_png_reader {
  png_structp png;
  png_infop info;
  jmp_buf escape;
  fp_png_status status;
  const uint8_t *bytes;
  size_t count;
  size_t position;
  int warnings;
  char message[FP_PNG_MESSAGE];
};

static void note(fp_png_reader *reader, const char *message) {
  strncpy(reader->message, message, FP_PNG_MESSAGE - 1);
  reader->message[FP_PNG_MESSAGE - 1] = 0;
}

static void on_error(png_structp png, png_const_charp message) {
  fp_png_reader *reader = png_get_error_ptr(png);
  note(reader, message);
  if (reader->status == FP_PNG_OK) reader->status = FP_PNG_FAILED;
  longjmp(reader->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  fp_png_reader *reader = png_get_error_ptr(png);
  if (reader->warnings++ == 0) note(reader, message);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  fp_png_reader *reader = png_get_io_ptr(png);
  if (count > reader->count - reader->position) {
    reader->status = FP_PNG_ENDED_EARLY;
    png_error(png, "the file ends early");
  }
  memcpy(target, reader->bytes + reader->position, count);
  reader->position += count;
}

fp_png_reader *fp_png_reader_create(void) {
  return calloc(1, sizeof(fp_png_reader));
}

void fp_png_reader_destroy(fp_png_reader *reader) {
  if (!reader) return;
  png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader);
}

// What is of no use here is skipped, whatever it would inflate to.
static void skip_text(png_structp png) {
  static const png_byte chunks[] =
      "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0pHYs\0oFFs\0pCAL\0sCAL\0tIME\0";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, chunks, (int)(sizeof chunks - 1) / 5);
}

fp_png_status fp_png_reader_open(fp_png_reader *reader, const uint8_t *bytes, size_t count, fp_png_header *header) {
  reader->bytes = bytes;
  reader->count = count;
  reader->position = 0;
  reader->status = FP_PNG_OK;
  if (setjmp(reader->escape)) return reader->status;
  reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
  reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
  if (!reader->info) return FP_PNG_NO_MEMORY;
  png_structp png = reader->png;
  png_set_read_fn(png, reader, read_bytes);
  // Sizes are judged before this, by the caller.
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_chunk_malloc_max(png, 8 << 20);
  png_set_chunk_cache_max(png, 64);
  png_set_benign_errors(png, 1);
  skip_text(png);
  png_read_info(png, reader->info);

  const int type = png_get_color_type(png, reader->info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, reader->info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (png_get_valid(png, reader->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (png_get_bit_depth(png, reader->info) == 16) png_set_swap(png);
#endif
  header->passes = png_set_interlace_handling(png);
  png_read_update_info(png, reader->info);
  header->width = (int)png_get_image_width(png, reader->info);
  header->height = (int)png_get_image_height(png, reader->info);
  header->channels = png_get_channels(png, reader->info);
  header->bits = png_get_bit_depth(png, reader->info);
  return FP_PNG_OK;
}

fp_png_status fp_png_reader_read_rows(fp_png_reader *reader, uint8_t *rows, size_t stride, int count) {
  if (setjmp(reader->escape)) return reader->status;
  for (int row = 0; row < count; row++) png_read_row(reader->png, rows + (size_t)row * stride, NULL);
  return FP_PNG_OK;
}

fp_png_status fp_png_reader_finish(fp_png_reader *reader) {
  if (setjmp(reader->escape)) return reader->status;
  png_read_end(reader->png, NULL);
  return FP_PNG_OK;
}

const uint8_t *fp_png_reader_profile(const fp_png_reader *reader, size_t *count) {
  png_charp name;
  png_bytep profile;
  png_uint_32 length;
  int compression;
  *count = 0;
  if (png_get_iCCP(reader->png, reader->info, &name, &compression, &profile, &length) != PNG_INFO_iCCP) return NULL;
  *count = length;
  return profile;
}

int fp_png_reader_warnings(const fp_png_reader *reader) {
  return reader->warnings;
}

const char *fp_png_reader_message(const fp_png_reader *reader) {
  return reader->message;
}

const char *fp_png_library_version(void) {
  return png_get_libpng_ver(NULL);
}
