#include <stdlib.h>
#include <string.h>

#include "jpeg_notes.h"

enum { FIRST_OUTPUT = 32768, ROWS_OF_AN_IMCU = 2 * DCTSIZE };

struct fp_jpeg_encoder {
  struct jpeg_compress_struct codec;
  fp_jpeg_errors errors;
  struct jpeg_destination_mgr destination;
  struct jpeg_progress_mgr progress;
  fp_jpeg_checkpoint checkpoint;
  void *user;
  // What has been written; handed over at the end.
  uint8_t *output;
  size_t capacity;
  size_t count;
  // Rows with their last sample repeated up to whole blocks.
  uint8_t *padded;
  size_t padded_size;
};

// MARK: The destination: memory that grows.

static void begin_output(j_compress_ptr codec) {
  fp_jpeg_encoder *encoder = (fp_jpeg_encoder *)codec;  // its first member
  encoder->count = 0;
  if (!encoder->output) {
    encoder->output = malloc(FIRST_OUTPUT);
    encoder->capacity = encoder->output ? FIRST_OUTPUT : 0;
  }
  if (!encoder->output) fp_jpeg_leave((j_common_ptr)codec, FP_JPEG_NO_MEMORY);
  encoder->destination.next_output_byte = encoder->output;
  encoder->destination.free_in_buffer = encoder->capacity;
}

// Called when the buffer is full, whatever `free_in_buffer` says.
static boolean grow_output(j_compress_ptr codec) {
  fp_jpeg_encoder *encoder = (fp_jpeg_encoder *)codec;
  uint8_t *grown = realloc(encoder->output, encoder->capacity * 2);
  if (!grown) fp_jpeg_leave((j_common_ptr)codec, FP_JPEG_NO_MEMORY);
  encoder->output = grown;
  encoder->destination.next_output_byte = grown + encoder->capacity;
  encoder->destination.free_in_buffer = encoder->capacity;
  encoder->capacity *= 2;
  return TRUE;
}

static void end_output(j_compress_ptr codec) {
  fp_jpeg_encoder *encoder = (fp_jpeg_encoder *)codec;
  encoder->count = encoder->capacity - encoder->destination.free_in_buffer;
}

static void hand_over(fp_jpeg_encoder *encoder, uint8_t **output, size_t *count) {
  // Shrinking stays in place; where it fails, the larger block is as good.
  uint8_t *fitting = realloc(encoder->output, encoder->count);
  *output = fitting ? fitting : encoder->output;
  *count = encoder->count;
  encoder->output = NULL;
  encoder->capacity = 0;
}

// MARK: Progress

static void on_progress(j_common_ptr common) {
  fp_jpeg_encoder *encoder = (fp_jpeg_encoder *)common;
  if (!encoder->checkpoint(encoder->user)) fp_jpeg_leave(common, FP_JPEG_STOPPED);
}

static void watch(fp_jpeg_encoder *encoder, fp_jpeg_checkpoint checkpoint, void *user) {
  encoder->checkpoint = checkpoint;
  encoder->user = user;
  encoder->progress.progress_monitor = on_progress;
  encoder->codec.progress = &encoder->progress;
}

// MARK: Life

fp_jpeg_encoder *fp_jpeg_encoder_create(void) {
  fp_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  fp_jpeg_errors_init(&encoder->errors);
  encoder->codec.err = &encoder->errors.base;
  if (setjmp(encoder->errors.escape)) {
    jpeg_destroy_compress(&encoder->codec);
    free(encoder);
    return NULL;
  }
  jpeg_create_compress(&encoder->codec);
  encoder->destination = (struct jpeg_destination_mgr){
      .init_destination = begin_output,
      .empty_output_buffer = grow_output,
      .term_destination = end_output,
  };
  encoder->codec.dest = &encoder->destination;
  return encoder;
}

void fp_jpeg_encoder_destroy(fp_jpeg_encoder *encoder) {
  if (!encoder) return;
  jpeg_destroy_compress(&encoder->codec);
  free(encoder->output);
  free(encoder->padded);
  free(encoder);
}

void fp_jpeg_encoder_notes(const fp_jpeg_encoder *encoder, fp_jpeg_notes *notes) {
  *notes = encoder->errors.notes;
}

// MARK: Encoding

static void configure(fp_jpeg_encoder *encoder, const fp_jpeg_options *options, J_COLOR_SPACE input) {
  j_compress_ptr codec = &encoder->codec;
  codec->image_width = (JDIMENSION)options->width;
  codec->image_height = (JDIMENSION)options->height;
  codec->input_components = options->components;
  codec->in_color_space = input;
  jpeg_set_defaults(codec);
  jpeg_set_colorspace(codec, options->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr);
  jpeg_set_quality(codec, options->quality, TRUE);
  codec->optimize_coding = TRUE;
  codec->dct_method = JDCT_ISLOW;
  if (options->components == 3) {
    codec->comp_info[0].h_samp_factor = options->horizontal;
    codec->comp_info[0].v_samp_factor = options->vertical;
  }
  if (options->is_progressive) jpeg_simple_progression(codec);
}

// The rows of each component's next iMCU row, padded.
static void pad_rows(
    const uint8_t *plane, size_t stride, int width, int height, int first, int count,
    int padded_width, uint8_t *target, JSAMPROW *rows) {
  for (int row = 0; row < count; row++) {
    const int from = first + row < height ? first + row : height - 1;
    uint8_t *line = target + (size_t)row * (size_t)padded_width;
    memcpy(line, plane + (size_t)from * stride, (size_t)width);
    memset(line + width, line[width - 1], (size_t)(padded_width - width));
    rows[row] = line;
  }
}

fp_jpeg_status fp_jpeg_encoder_write_planes(
    fp_jpeg_encoder *encoder, const fp_jpeg_options *options, const uint8_t *const planes[], const size_t strides[],
    const int widths[], const int heights[], fp_jpeg_checkpoint checkpoint, void *user, uint8_t **output,
    size_t *count) {
  j_compress_ptr codec = &encoder->codec;
  *output = NULL;
  *count = 0;
  fp_jpeg_errors_reset(&encoder->errors);
  watch(encoder, checkpoint, user);
  if (setjmp(encoder->errors.escape)) {
    jpeg_abort_compress(codec);
    return encoder->errors.status;
  }
  configure(encoder, options, options->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr);
  codec->raw_data_in = TRUE;
  jpeg_start_compress(codec, TRUE);

  int padded_widths[3];
  size_t needed = 0;
  for (int i = 0; i < codec->num_components; i++) {
    padded_widths[i] = (int)codec->comp_info[i].width_in_blocks * DCTSIZE;
    if (padded_widths[i] < widths[i]) padded_widths[i] = widths[i];
    needed += (size_t)padded_widths[i] * ROWS_OF_AN_IMCU;
  }
  if (needed > encoder->padded_size) {
    uint8_t *larger = realloc(encoder->padded, needed);
    if (!larger) fp_jpeg_leave((j_common_ptr)codec, FP_JPEG_NO_MEMORY);
    encoder->padded = larger;
    encoder->padded_size = needed;
  }
  JSAMPROW rows[3][ROWS_OF_AN_IMCU];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  int done[3] = {0};
  const JDIMENSION step = (JDIMENSION)(codec->max_v_samp_factor * DCTSIZE);
  while (codec->next_scanline < codec->image_height) {
    uint8_t *target = encoder->padded;
    for (int i = 0; i < codec->num_components; i++) {
      const int here = codec->comp_info[i].v_samp_factor * DCTSIZE;
      pad_rows(
          planes[i], strides[i], widths[i], heights[i], done[i], here, padded_widths[i], target, rows[i]);
      target += (size_t)padded_widths[i] * ROWS_OF_AN_IMCU;
      done[i] += here;
    }
    jpeg_write_raw_data(codec, arrays, step);
  }
  jpeg_finish_compress(codec);
  hand_over(encoder, output, count);
  return FP_JPEG_OK;
}

fp_jpeg_status fp_jpeg_encoder_write_pixels(
    fp_jpeg_encoder *encoder, const fp_jpeg_options *options, const uint8_t *pixels, size_t stride,
    fp_jpeg_checkpoint checkpoint, void *user, uint8_t **output, size_t *count) {
  j_compress_ptr codec = &encoder->codec;
  *output = NULL;
  *count = 0;
  fp_jpeg_errors_reset(&encoder->errors);
  watch(encoder, checkpoint, user);
  if (setjmp(encoder->errors.escape)) {
    jpeg_abort_compress(codec);
    return encoder->errors.status;
  }
  configure(encoder, options, JCS_RGB);
  jpeg_start_compress(codec, TRUE);
  while (codec->next_scanline < codec->image_height) {
    JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)codec->next_scanline * stride);
    jpeg_write_scanlines(codec, &row, 1);
  }
  jpeg_finish_compress(codec);
  hand_over(encoder, output, count);
  return FP_JPEG_OK;
}
