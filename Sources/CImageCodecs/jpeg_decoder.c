#include <stdlib.h>
#include <string.h>

#include <jerror.h>

#include "jpeg_notes.h"

#if JPEG_LIB_VERSION >= 70
#define BLOCK_SIDE(component) ((component)->DCT_h_scaled_size)
#define LEAST_BLOCK_SIDE(codec) ((codec)->min_DCT_h_scaled_size)
#else
#define BLOCK_SIDE(component) ((component)->DCT_scaled_size)
#define LEAST_BLOCK_SIDE(codec) ((codec)->min_DCT_scaled_size)
#endif

enum { APP1 = JPEG_APP0 + 1, APP2 = JPEG_APP0 + 2, ROWS_OF_AN_IMCU = MAX_SAMP_FACTOR * DCTSIZE };

struct fp_jpeg_decoder {
  struct jpeg_decompress_struct codec;
  fp_jpeg_errors errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  fp_jpeg_checkpoint checkpoint;
  void *user;
  int scan_limit;
  // Where rows go that are outside the picture.
  uint8_t *spare_row;
  size_t spare_row_size;
};

// MARK: The source: memory that is not ours.

static void init_source(j_decompress_ptr codec) {
  (void)codec;
}

// All bytes were there from the start: there is no more, and the picture gets the end that it lacks.
static boolean fill_input(j_decompress_ptr codec) {
  static const JOCTET end[] = {0xff, JPEG_EOI};
  WARNMS(codec, JWRN_JPEG_EOF);
  codec->src->next_input_byte = end;
  codec->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  if ((size_t)count > codec->src->bytes_in_buffer) {
    fill_input(codec);
  } else {
    codec->src->next_input_byte += count;
    codec->src->bytes_in_buffer -= (size_t)count;
  }
}

static void end_source(j_decompress_ptr codec) {
  (void)codec;
}

// MARK: Life

fp_jpeg_decoder *fp_jpeg_decoder_create(void) {
  fp_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  fp_jpeg_errors_init(&decoder->errors);
  decoder->codec.err = &decoder->errors.base;
  if (setjmp(decoder->errors.escape)) {
    free(decoder);
    return NULL;
  }
  jpeg_create_decompress(&decoder->codec);
  decoder->source = (struct jpeg_source_mgr){
      .init_source = init_source,
      .fill_input_buffer = fill_input,
      .skip_input_data = skip_input,
      .resync_to_restart = jpeg_resync_to_restart,
      .term_source = end_source,
  };
  decoder->codec.src = &decoder->source;
  jpeg_save_markers(&decoder->codec, APP1, 0xffff);
  jpeg_save_markers(&decoder->codec, APP2, 0xffff);
  return decoder;
}

void fp_jpeg_decoder_destroy(fp_jpeg_decoder *decoder) {
  if (!decoder) return;
  jpeg_destroy_decompress(&decoder->codec);
  free(decoder->spare_row);
  free(decoder);
}

void fp_jpeg_decoder_close(fp_jpeg_decoder *decoder) {
  if (setjmp(decoder->errors.escape)) return;
  decoder->codec.progress = NULL;
  jpeg_abort_decompress(&decoder->codec);
  decoder->source.next_input_byte = NULL;
  decoder->source.bytes_in_buffer = 0;
}

void fp_jpeg_decoder_notes(const fp_jpeg_decoder *decoder, fp_jpeg_notes *notes) {
  *notes = decoder->errors.notes;
}

// MARK: Headers

static fp_jpeg_space space_of(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_GRAYSCALE: return FP_JPEG_SPACE_GRAY;
    case JCS_YCbCr: return FP_JPEG_SPACE_YCC;
    case JCS_RGB: return FP_JPEG_SPACE_RGB;
    case JCS_CMYK: return FP_JPEG_SPACE_CMYK;
    case JCS_YCCK: return FP_JPEG_SPACE_YCCK;
    default: return FP_JPEG_SPACE_OTHER;
  }
}

fp_jpeg_status fp_jpeg_decoder_open(
    fp_jpeg_decoder *decoder, const uint8_t *bytes, size_t count, fp_jpeg_header *header) {
  j_decompress_ptr codec = &decoder->codec;
  fp_jpeg_errors_reset(&decoder->errors);
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  codec->progress = NULL;
  jpeg_abort_decompress(codec);
  decoder->source.next_input_byte = bytes;
  decoder->source.bytes_in_buffer = count;
  jpeg_read_header(codec, TRUE);

  memset(header, 0, sizeof *header);
  header->width = (int)codec->image_width;
  header->height = (int)codec->image_height;
  header->components = codec->num_components;
  header->space = space_of(codec->jpeg_color_space);
  header->has_adobe_marker = codec->saw_Adobe_marker;
  header->has_several_scans = jpeg_has_multiple_scans(codec);
  for (int i = 0; i < codec->num_components && i < FP_JPEG_COMPONENTS; i++) {
    const jpeg_component_info *component = &codec->comp_info[i];
    header->horizontal[i] = component->h_samp_factor;
    header->vertical[i] = component->v_samp_factor;
    header->block_columns[i] = (int)component->width_in_blocks;
    header->block_rows[i] = (int)component->height_in_blocks;
  }
  return FP_JPEG_OK;
}

const uint8_t *fp_jpeg_decoder_segment(const fp_jpeg_decoder *decoder, int app, int index, size_t *count) {
  for (jpeg_saved_marker_ptr marker = decoder->codec.marker_list; marker; marker = marker->next) {
    if (marker->marker != JPEG_APP0 + app || index-- > 0) continue;
    *count = marker->data_length;
    return marker->data;
  }
  *count = 0;
  return NULL;
}

// MARK: Decoding

static void set_scale(j_decompress_ptr codec, int scale) {
  codec->scale_num = (unsigned)scale;
  codec->scale_denom = DCTSIZE;
  codec->dct_method = JDCT_ISLOW;
  codec->do_block_smoothing = FALSE;
}

fp_jpeg_status fp_jpeg_decoder_scale(fp_jpeg_decoder *decoder, int scale, fp_jpeg_scaled *scaled) {
  j_decompress_ptr codec = &decoder->codec;
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  set_scale(codec, scale);
  jpeg_calc_output_dimensions(codec);
  memset(scaled, 0, sizeof *scaled);
  scaled->width = (int)codec->output_width;
  scaled->height = (int)codec->output_height;
  for (int i = 0; i < codec->num_components && i < FP_JPEG_COMPONENTS; i++)
    scaled->block_side[i] = BLOCK_SIDE(&codec->comp_info[i]);
  return FP_JPEG_OK;
}

static void on_progress(j_common_ptr common) {
  j_decompress_ptr codec = (j_decompress_ptr)common;
  fp_jpeg_decoder *decoder = (fp_jpeg_decoder *)codec;  // its first member
  if (codec->input_scan_number > decoder->scan_limit) fp_jpeg_leave(common, FP_JPEG_TOO_MANY_SCANS);
  if (!decoder->checkpoint(decoder->user)) fp_jpeg_leave(common, FP_JPEG_STOPPED);
}

static void watch(fp_jpeg_decoder *decoder, int scan_limit, fp_jpeg_checkpoint checkpoint, void *user) {
  decoder->scan_limit = scan_limit;
  decoder->checkpoint = checkpoint;
  decoder->user = user;
  decoder->progress.progress_monitor = on_progress;
  decoder->codec.progress = &decoder->progress;
}

static bool reserve_spare_row(fp_jpeg_decoder *decoder) {
  size_t widest = 0;
  for (int i = 0; i < decoder->codec.num_components; i++) {
    const jpeg_component_info *component = &decoder->codec.comp_info[i];
    size_t width = (size_t)component->width_in_blocks * (size_t)BLOCK_SIDE(component);
    if (width > widest) widest = width;
  }
  if (widest <= decoder->spare_row_size) return true;
  uint8_t *row = realloc(decoder->spare_row, widest);
  if (!row) return false;
  decoder->spare_row = row;
  decoder->spare_row_size = widest;
  return true;
}

fp_jpeg_status fp_jpeg_decoder_read_planes(
    fp_jpeg_decoder *decoder, uint8_t *const planes[], const size_t strides[], const int rows[], int scan_limit,
    fp_jpeg_checkpoint checkpoint, void *user) {
  j_decompress_ptr codec = &decoder->codec;
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  watch(decoder, scan_limit, checkpoint, user);
  codec->raw_data_out = TRUE;
  codec->out_color_space = codec->jpeg_color_space;
  jpeg_start_decompress(codec);
  if (!reserve_spare_row(decoder)) return FP_JPEG_NO_MEMORY;

  JSAMPROW row_pointers[FP_JPEG_COMPONENTS][ROWS_OF_AN_IMCU];
  JSAMPARRAY arrays[FP_JPEG_COMPONENTS] = {row_pointers[0], row_pointers[1], row_pointers[2], row_pointers[3]};
  const int step = codec->max_v_samp_factor * LEAST_BLOCK_SIDE(codec);
  int done[FP_JPEG_COMPONENTS] = {0};
  while (codec->output_scanline < codec->output_height) {
    for (int i = 0; i < codec->num_components; i++) {
      const jpeg_component_info *component = &codec->comp_info[i];
      const int count = component->v_samp_factor * BLOCK_SIDE(component);
      for (int row = 0; row < count; row++) {
        const int target = done[i] + row;
        row_pointers[i][row] = target < rows[i] ? planes[i] + (size_t)target * strides[i] : decoder->spare_row;
      }
      done[i] += count;
    }
    if (!checkpoint(user)) fp_jpeg_leave((j_common_ptr)codec, FP_JPEG_STOPPED);
    jpeg_read_raw_data(codec, arrays, (JDIMENSION)step);
  }
  jpeg_finish_decompress(codec);
  return FP_JPEG_OK;
}

fp_jpeg_status fp_jpeg_decoder_read_pixels(
    fp_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int scan_limit, fp_jpeg_checkpoint checkpoint,
    void *user) {
  j_decompress_ptr codec = &decoder->codec;
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  watch(decoder, scan_limit, checkpoint, user);
  codec->raw_data_out = FALSE;
  codec->out_color_space = codec->num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(codec);
  while (codec->output_scanline < codec->output_height) {
    if ((codec->output_scanline & 15) == 0 && !checkpoint(user)) fp_jpeg_leave((j_common_ptr)codec, FP_JPEG_STOPPED);
    JSAMPROW row = pixels + (size_t)codec->output_scanline * stride;
    jpeg_read_scanlines(codec, &row, 1);
  }
  jpeg_finish_decompress(codec);
  return FP_JPEG_OK;
}

bool fp_jpeg_decoder_has_all_scans(const fp_jpeg_decoder *decoder) {
  const struct jpeg_decompress_struct *codec = &decoder->codec;
  if (!codec->coef_bits) return true;
  for (int i = 0; i < codec->num_components; i++)
    for (int k = 0; k < DCTSIZE2; k++)
      if (codec->coef_bits[i][k] != 0) return false;
  return true;
}
