// PNG through libpng. The library reports errors by longjmp: none leaves these functions.
#ifndef FETCH_PIPELINE_PNG_H
#define FETCH_PIPELINE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of the library.
const char *fp_png_library_version(void);

// One read of one file.
typedef struct fp_png_reader fp_png_reader;

typedef enum fp_png_status {
  FP_PNG_OK = 0,
  // The source ended early.
  FP_PNG_TRUNCATED,
  // The file breaks the rules.
  FP_PNG_CORRUPT,
  // The system has no memory.
  FP_PNG_NO_MEMORY,
} fp_png_status;

// What the rows will be, after expansion.
typedef struct fp_png_rows {
  uint32_t width;
  uint32_t height;
  // Samples of a pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
  uint32_t channels;
  // 1 or 2; two bytes are in the machine's order.
  uint32_t bytes_per_sample;
  // How often all rows are read: 7 for an interlaced picture, else 1.
  uint32_t passes;
} fp_png_rows;

// A reader of `length` bytes, which must outlive it; NULL where there is no memory.
fp_png_reader *fp_png_reader_create(const uint8_t *bytes, size_t length);
void fp_png_reader_destroy(fp_png_reader *reader);

// Reads as far as the first IDAT chunk. Larger pictures than `max_width` by `max_height` are corrupt. `salvages`: what can
// be read is wanted, whatever its checksums say.
fp_png_status fp_png_reader_read_header(
    fp_png_reader *reader, uint32_t max_width, uint32_t max_height, bool salvages, fp_png_rows *rows);

// The embedded ICC profile, owned by the reader; false where there is none that libpng accepts.
bool fp_png_reader_profile(fp_png_reader *reader, const uint8_t **bytes, uint32_t *length);

// Reads the next `count` rows to `destination`, `stride` bytes apart. An interlaced picture needs all of its rows read
// `passes` times over the same memory. `read` is the number of rows that came, also if it fails.
fp_png_status fp_png_reader_read_rows(
    fp_png_reader *reader, uint8_t *destination, size_t stride, uint32_t count, uint32_t *read);

// Reads what is behind the last row. Not ok only where the pixels cannot be trusted: what else is wrong there, a warning
// counts.
fp_png_status fp_png_reader_finish(fp_png_reader *reader);

// Whether checksums of critical chunks were wrong and overlooked.
bool fp_png_reader_has_wrong_checksums(const fp_png_reader *reader);

// The flaws that libpng overlooked.
uint32_t fp_png_reader_warnings(const fp_png_reader *reader);
// The last error or, without one, the last warning, in libpng's words; empty for none.
const char *fp_png_reader_message(const fp_png_reader *reader);

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
