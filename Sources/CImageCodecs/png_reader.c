#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "fp_png.h"

// What a decompressed iCCP chunk may take; real profiles of RGB and grey are far smaller.
static const png_alloc_size_t largest_chunk = 4u << 20;

// "IDAT".
static const png_uint_32 chunk_of_pixels = 0x49444154;

struct fp_png_reader {
  png_structp png;
  png_infop info;
  const uint8_t *bytes;
  size_t left;
  // The source was asked for more than it has.
  bool starved;
  bool out_of_memory;
  // Wrong checksums of critical chunks are overlooked, and noted here.
  bool salvages;
  bool has_wrong_checksums;
  uint32_t warnings;
  char message[128];
  // Where errors go to: set anew by each function that calls libpng.
  jmp_buf failed;
};

static void keep_message(fp_png_reader *reader, const char *message) {
  strncpy(reader->message, message, sizeof reader->message - 1);
  reader->message[sizeof reader->message - 1] = 0;
}

static void on_error(png_structp png, png_const_charp message) {
  fp_png_reader *reader = png_get_error_ptr(png);
  keep_message(reader, message);
  longjmp(reader->failed, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  fp_png_reader *reader = png_get_error_ptr(png);
  if (reader->warnings < UINT32_MAX) reader->warnings++;
  keep_message(reader, message);
  // A lower-case first letter is that of an ancillary chunk (PNG, third edition, 5.4).
  const bool is_critical = (png_get_io_chunk_type(png) >> 29 & 1) == 0;
  if (is_critical && strstr(message, "CRC error") != NULL) reader->has_wrong_checksums = true;
}

static void on_read(png_structp png, png_bytep destination, size_t length) {
  fp_png_reader *reader = png_get_io_ptr(png);
  if (length > reader->left) {
    reader->starved = true;
    png_error(png, "the file ends early");
  }
  memcpy(destination, reader->bytes, length);
  reader->bytes += length;
  reader->left -= length;
  // The library asks for pixel data in large pieces, and of one that is not all there it would see nothing.
  if (reader->salvages && reader->left < 2 * PNG_ZBUF_SIZE) {
    png_set_compression_buffer_size(png, reader->left < 64 ? 1 : 16);
  }
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t size) {
  void *memory = malloc(size);
  fp_png_reader *reader = png_get_mem_ptr(png);
  if (memory == NULL && reader != NULL) reader->out_of_memory = true;
  return memory;
}

static void on_free(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}

static fp_png_status failure(const fp_png_reader *reader) {
  if (reader->out_of_memory) return FP_PNG_NO_MEMORY;
  return reader->starved ? FP_PNG_TRUNCATED : FP_PNG_CORRUPT;
}

fp_png_reader *fp_png_reader_create(const uint8_t *bytes, size_t length) {
  fp_png_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->bytes = bytes;
  reader->left = length;
  // An error while the struct is made comes here through on_error.
  if (setjmp(reader->failed)) {
    fp_png_reader_destroy(reader);
    return NULL;
  }
  reader->png =
      png_create_read_struct_2(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning, reader, on_allocate, on_free);
  if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
  if (reader->info == NULL) {
    fp_png_reader_destroy(reader);
    return NULL;
  }
  png_set_read_fn(reader->png, reader, on_read);
  return reader;
}

void fp_png_reader_destroy(fp_png_reader *reader) {
  if (reader == NULL) return;
  if (reader->png != NULL) png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader);
}

// Of the ancillary chunks only tRNS and iCCP are read: damage in the others must not matter, nor what they unpack to.
static void ignore_other_chunks(png_structp png) {
  static const png_byte profile[5] = {'i', 'C', 'C', 'P', 0};
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, profile, 1);
}

fp_png_status fp_png_reader_read_header(
    fp_png_reader *reader, uint32_t max_width, uint32_t max_height, bool salvages, fp_png_rows *rows) {
  if (setjmp(reader->failed)) return failure(reader);
  png_structp png = reader->png;
  png_infop info = reader->info;
  png_set_user_limits(png, max_width, max_height);
  png_set_chunk_malloc_max(png, largest_chunk);
  png_set_chunk_cache_max(png, 1);
  png_set_benign_errors(png, 1);
  reader->salvages = salvages;
  png_set_crc_action(png, salvages ? PNG_CRC_WARN_USE : PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  // Some writers state a smaller window than they use.
  png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
#ifdef PNG_IGNORE_ADLER32
  // Every chunk has a CRC of its own, which is judged.
  png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
  ignore_other_chunks(png);
  png_read_info(png, info);

  // Palettes, 1, 2 and 4 bits and tRNS become whole samples and alpha.
  png_set_expand(png);
  const uint16_t one = 1;
  if (png_get_bit_depth(png, info) == 16 && *(const uint8_t *)&one == 1) png_set_swap(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);

  rows->width = png_get_image_width(png, info);
  rows->height = png_get_image_height(png, info);
  rows->channels = png_get_channels(png, info);
  rows->bytes_per_sample = png_get_bit_depth(png, info) == 16 ? 2 : 1;
  rows->passes = (uint32_t)passes;
  return FP_PNG_OK;
}

bool fp_png_reader_profile(fp_png_reader *reader, const uint8_t **bytes, uint32_t *length) {
  if (setjmp(reader->failed)) return false;
  png_charp name = NULL;
  int compression = 0;
  png_bytep profile = NULL;
  png_uint_32 count = 0;
  if (!png_get_iCCP(reader->png, reader->info, &name, &compression, &profile, &count)) return false;
  *bytes = profile;
  *length = count;
  return true;
}

// Whether every row has been delivered.
static bool has_all_rows(const fp_png_reader *reader) {
  if (png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE) {
    return png_get_current_pass_number(reader->png) >= PNG_INTERLACE_ADAM7_PASSES;
  }
  return png_get_current_row_number(reader->png) >= png_get_image_height(reader->png, reader->info);
}

fp_png_status fp_png_reader_read_rows(
    fp_png_reader *reader, uint8_t *destination, size_t stride, uint32_t count, uint32_t *read) {
  *read = 0;
  if (setjmp(reader->failed)) {
    // libpng reads on behind the last row before it returns that.
    if (!reader->starved || reader->out_of_memory || !has_all_rows(reader)) return failure(reader);
    *read = count;
    return FP_PNG_OK;
  }
  for (uint32_t row = 0; row < count; row++) {
    uint8_t *pixels = destination + row * stride;
    // Of an interlaced picture that may end early each pass covers the pixels of those that may not come.
    if (reader->salvages) {
      png_read_row(reader->png, NULL, pixels);
    } else {
      png_read_row(reader->png, pixels, NULL);
    }
    *read = row + 1;
  }
  return FP_PNG_OK;
}

fp_png_status fp_png_reader_finish(fp_png_reader *reader) {
  if (reader->starved) {
    if (reader->warnings < UINT32_MAX) reader->warnings++;
    return FP_PNG_OK;
  }
  if (setjmp(reader->failed)) {
    if (reader->out_of_memory) return FP_PNG_NO_MEMORY;
    // All rows are there. Only a wrong checksum of pixel data says that they are not what they were.
    if (!reader->starved && png_get_io_chunk_type(reader->png) == chunk_of_pixels) return FP_PNG_CORRUPT;
    if (reader->warnings < UINT32_MAX) reader->warnings++;
    return FP_PNG_OK;
  }
  png_read_end(reader->png, NULL);
  return FP_PNG_OK;
}

bool fp_png_reader_has_wrong_checksums(const fp_png_reader *reader) { return reader->has_wrong_checksums; }

uint32_t fp_png_reader_warnings(const fp_png_reader *reader) { return reader->warnings; }

const char *fp_png_reader_message(const fp_png_reader *reader) { return reader->message; }

const char *fp_png_library_version(void) { return png_get_libpng_ver(NULL); }
