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

enum {
  APP1 = JPEG_APP0 + 1,
  APP2 = JPEG_APP0 + 2,
  ROWS_OF_AN_IMCU = MAX_SAMP_FACTOR * DCTSIZE,
  // As many as an ICC profile may be split into, and one for EXIF.
  MOST_SEGMENTS = 256,
  // A checkpoint costs half a microsecond, a block about 50 ns in a usual picture and some times that in the worst.
  BLOCKS_OF_A_CHECKPOINT = 4096,
};

typedef struct {
  const uint8_t *bytes;
  size_t count;
} segment;

struct fp_jpeg_decoder {
  struct jpeg_decompress_struct codec;  // first: the library's pointer to it is ours
  fp_jpeg_errors errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  fp_jpeg_checkpoint checkpoint;
  void *user;
  int scan_limit;
  // Rows of blocks from one checkpoint to the next, and until that.
  int rows_of_a_checkpoint;
  int rows_left;
  // Where the EXIF segment and the parts of the ICC profile lie in the picture's bytes.
  segment exif;
  segment profile_parts[MOST_SEGMENTS];
  int profile_part_count;
  const uint8_t *bytes;
  size_t byte_count;
  // What is still to be read behind what the source has; empty where that is all.
  fp_jpeg_part parts[FP_JPEG_PARTS];
  size_t part_count;
  size_t next_part;
  // Where rows go that are outside the picture.
  uint8_t *spare_row;
  size_t spare_row_size;
};

// MARK: The source: memory that is not ours.

static void init_source(j_decompress_ptr codec) {
  (void)codec;
}

// All bytes were there from the start. Behind the last there is no more, and the picture gets the end that it lacks.
static boolean fill_input(j_decompress_ptr codec) {
  static const JOCTET end[] = {0xff, JPEG_EOI};
  fp_jpeg_decoder *decoder = (fp_jpeg_decoder *)codec;
  if (decoder->next_part < decoder->part_count) {
    const fp_jpeg_part part = decoder->parts[decoder->next_part++];
    codec->src->next_input_byte = decoder->bytes + part.offset;
    codec->src->bytes_in_buffer = part.count;
    return TRUE;
  }
  WARNMS(codec, JWRN_JPEG_EOF);
  // An arithmetic decoder takes what is missing for zeros, and says nothing. That is right near the end of a scan, where
  // zeros may be left out (T.81, D.1.8).
  if (codec->arith_code && codec->input_iMCU_row + 1 < codec->total_iMCU_rows) decoder->errors.notes.missing_data++;
  codec->src->next_input_byte = end;
  codec->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  fp_jpeg_decoder *decoder = (fp_jpeg_decoder *)codec;
  size_t left = (size_t)count;
  while (left > codec->src->bytes_in_buffer) {
    const bool is_last = decoder->next_part >= decoder->part_count;
    left -= codec->src->bytes_in_buffer;
    fill_input(codec);
    if (is_last) return;
  }
  codec->src->next_input_byte += left;
  codec->src->bytes_in_buffer -= left;
}

static void end_source(j_decompress_ptr codec) {
  (void)codec;
}

// MARK: Segments: found in place, as the bytes are all there.

static unsigned next_byte(j_decompress_ptr codec) {
  struct jpeg_source_mgr *source = codec->src;
  if (source->bytes_in_buffer == 0) fill_input(codec);
  source->bytes_in_buffer--;
  return *source->next_input_byte++;
}

static bool starts_with(segment found, const char *signature, size_t count) {
  return found.count > count && memcmp(found.bytes, signature, count) == 0;
}

static boolean note_segment(j_decompress_ptr codec) {
  fp_jpeg_decoder *decoder = (fp_jpeg_decoder *)codec;
  const unsigned high = next_byte(codec);
  const long count = (long)(high << 8 | next_byte(codec)) - 2;
  if (count <= 0) return TRUE;
  segment found = {codec->src->next_input_byte, codec->src->bytes_in_buffer};
  if (found.count >= (size_t)count) {
    found.count = (size_t)count;
    static const char exif[] = "Exif\0";
    static const char profile[] = "ICC_PROFILE";
    if (codec->unread_marker == APP1 && !decoder->exif.bytes && starts_with(found, exif, sizeof exif)) {
      decoder->exif = (segment){found.bytes + sizeof exif, found.count - sizeof exif};
    } else if (codec->unread_marker == APP2 && decoder->profile_part_count < MOST_SEGMENTS &&
               starts_with(found, profile, sizeof profile)) {
      decoder->profile_parts[decoder->profile_part_count++] =
          (segment){found.bytes + sizeof profile, found.count - sizeof profile};
    }
  }
  skip_input(codec, count);
  return TRUE;
}

const uint8_t *fp_jpeg_decoder_exif(const fp_jpeg_decoder *decoder, size_t *count) {
  *count = decoder->exif.count;
  return decoder->exif.bytes;
}

const uint8_t *fp_jpeg_decoder_profile_part(const fp_jpeg_decoder *decoder, int index, size_t *count) {
  *count = 0;
  if (index < 0 || index >= decoder->profile_part_count) return NULL;
  *count = decoder->profile_parts[index].count;
  return decoder->profile_parts[index].bytes;
}

// MARK: Life

fp_jpeg_decoder *fp_jpeg_decoder_create(void) {
  fp_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  fp_jpeg_errors_init(&decoder->errors);
  decoder->source = (struct jpeg_source_mgr){
      .init_source = init_source,
      .fill_input_buffer = fill_input,
      .skip_input_data = skip_input,
      .resync_to_restart = jpeg_resync_to_restart,
      .term_source = end_source,
  };
  return decoder;
}

void fp_jpeg_decoder_destroy(fp_jpeg_decoder *decoder) {
  if (!decoder) return;
  fp_jpeg_decoder_close(decoder);
  free(decoder->spare_row);
  free(decoder);
}

void fp_jpeg_decoder_close(fp_jpeg_decoder *decoder) {
  // Does nothing to a codec that has not been made.
  jpeg_destroy_decompress(&decoder->codec);
  decoder->exif = (segment){NULL, 0};
  decoder->profile_part_count = 0;
  decoder->part_count = 0;
  decoder->next_part = 0;
  decoder->source.next_input_byte = NULL;
  decoder->source.bytes_in_buffer = 0;
}

// The library's own part is made anew for each picture: tables outlive jpeg_abort, and a picture that lacks its own would
// be decoded with those of the one before.
static void make_codec(fp_jpeg_decoder *decoder) {
  j_decompress_ptr codec = &decoder->codec;
  codec->err = &decoder->errors.base;
  jpeg_create_decompress(codec);
  codec->src = &decoder->source;
  // Limits are ours, not the environment's.
  codec->mem->max_memory_to_use = 0;
  jpeg_set_marker_processor(codec, APP1, note_segment);
  jpeg_set_marker_processor(codec, APP2, note_segment);
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

static size_t round_up(size_t count, int unit) {
  return (count + (size_t)unit - 1) / (size_t)unit * (size_t)unit;
}

fp_jpeg_status fp_jpeg_decoder_open(
    fp_jpeg_decoder *decoder, const uint8_t *bytes, size_t count, fp_jpeg_header *header) {
  j_decompress_ptr codec = &decoder->codec;
  fp_jpeg_decoder_close(decoder);
  fp_jpeg_errors_reset(&decoder->errors);
  memset(header, 0, sizeof *header);
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  make_codec(decoder);
  decoder->source.next_input_byte = bytes;
  decoder->source.bytes_in_buffer = count;
  decoder->bytes = bytes;
  decoder->byte_count = count;
  jpeg_read_header(codec, TRUE);

  header->width = (int)codec->image_width;
  header->height = (int)codec->image_height;
  header->components = codec->num_components;
  header->space = space_of(codec->jpeg_color_space);
  const bool has_several_scans = jpeg_has_multiple_scans(codec);
  for (int i = 0; i < codec->num_components && i < FP_JPEG_COMPONENTS; i++) {
    const jpeg_component_info *component = &codec->comp_info[i];
    header->horizontal[i] = component->h_samp_factor;
    header->vertical[i] = component->v_samp_factor;
    header->block_columns[i] = (int)component->width_in_blocks;
    header->block_rows[i] = (int)component->height_in_blocks;
    if (has_several_scans) {
      header->coefficient_bytes += round_up(component->width_in_blocks, component->h_samp_factor) *
                                   round_up(component->height_in_blocks, component->v_samp_factor) * sizeof(JBLOCK);
    }
  }
  return FP_JPEG_OK;
}

// MARK: Decoding

bool fp_jpeg_decoder_choose(fp_jpeg_decoder *decoder, const fp_jpeg_part *parts, size_t count) {
  if (count == 0 || count > FP_JPEG_PARTS) return false;
  if (parts[0].offset != decoder->byte_count - decoder->source.bytes_in_buffer) return false;
  size_t end = 0;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].offset < end || parts[i].count == 0 || parts[i].offset > decoder->byte_count ||
        parts[i].count > decoder->byte_count - parts[i].offset)
      return false;
    end = parts[i].offset + parts[i].count;
  }
  memcpy(decoder->parts, parts, count * sizeof *parts);
  decoder->part_count = count;
  decoder->next_part = 1;
  decoder->source.bytes_in_buffer = parts[0].count;
  return true;
}

fp_jpeg_status fp_jpeg_decoder_scale(fp_jpeg_decoder *decoder, int scale, fp_jpeg_scaled *scaled) {
  j_decompress_ptr codec = &decoder->codec;
  memset(scaled, 0, sizeof *scaled);
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  codec->scale_num = (unsigned)scale;
  codec->scale_denom = DCTSIZE;
  codec->dct_method = JDCT_ISLOW;
  codec->do_block_smoothing = FALSE;
  jpeg_calc_output_dimensions(codec);
  scaled->width = (int)codec->output_width;
  scaled->height = (int)codec->output_height;
  for (int i = 0; i < codec->num_components && i < FP_JPEG_COMPONENTS; i++)
    scaled->block_side[i] = BLOCK_SIDE(&codec->comp_info[i]);
  return FP_JPEG_OK;
}

// The library calls it for each row of blocks that it reads, and for each read of ours.
static void on_progress(j_common_ptr common) {
  fp_jpeg_decoder *decoder = (fp_jpeg_decoder *)common;
  if (decoder->codec.input_scan_number > decoder->scan_limit) fp_jpeg_leave(common, FP_JPEG_TOO_MANY_SCANS);
  if (decoder->rows_left-- > 0) return;
  decoder->rows_left = decoder->rows_of_a_checkpoint - 1;
  if (!decoder->checkpoint(decoder->user)) fp_jpeg_leave(common, FP_JPEG_STOPPED);
}

static void watch(fp_jpeg_decoder *decoder, int scan_limit, fp_jpeg_checkpoint checkpoint, void *user) {
  size_t blocks = 1;
  for (int i = 0; i < decoder->codec.num_components; i++) {
    const jpeg_component_info *component = &decoder->codec.comp_info[i];
    blocks += (size_t)component->width_in_blocks * (size_t)component->v_samp_factor;
  }
  decoder->rows_of_a_checkpoint = (int)(BLOCKS_OF_A_CHECKPOINT / blocks) + 1;
  decoder->rows_left = 0;
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

// What has not come of a picture in several scans. To be asked before the library lets go of it.
static void note_missing_scans(fp_jpeg_decoder *decoder) {
  const struct jpeg_decompress_struct *codec = &decoder->codec;
  fp_jpeg_notes *notes = &decoder->errors.notes;
  for (int i = 0; i < codec->num_components; i++) {
    // The library keeps a component's table from its first scan on.
    if (!codec->comp_info[i].quant_table) notes->missing_components++;
    if (!codec->coef_bits) continue;
    // The bits that each coefficient still lacks; -1 where it has not come at all.
    for (int k = 0; k < DCTSIZE2; k++)
      if (codec->coef_bits[i][k] != 0) notes->lacks_precision = true;
  }
}

// Reads what stands behind the last row. There is no pixel in it: what is wrong with it is a flaw at most.
static fp_jpeg_status finish(fp_jpeg_decoder *decoder) {
  note_missing_scans(decoder);
  if (setjmp(decoder->errors.escape)) {
    if (decoder->errors.status != FP_JPEG_FAILED) return decoder->errors.status;
    decoder->errors.notes.error = FP_JPEG_ERROR_NONE;
    decoder->errors.notes.harmless++;
    return FP_JPEG_OK;
  }
  jpeg_finish_decompress(&decoder->codec);
  return FP_JPEG_OK;
}

static fp_jpeg_status read_plane_rows(
    fp_jpeg_decoder *decoder, uint8_t *const planes[], const size_t strides[], const int rows[]) {
  j_decompress_ptr codec = &decoder->codec;
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  codec->raw_data_out = TRUE;
  codec->out_color_space = codec->jpeg_color_space;
  jpeg_start_decompress(codec);
  if (!reserve_spare_row(decoder)) return FP_JPEG_NO_MEMORY;

  JSAMPROW row_pointers[FP_JPEG_COMPONENTS][ROWS_OF_AN_IMCU];
  JSAMPARRAY arrays[FP_JPEG_COMPONENTS] = {row_pointers[0], row_pointers[1], row_pointers[2], row_pointers[3]};
  const JDIMENSION step = (JDIMENSION)(codec->max_v_samp_factor * LEAST_BLOCK_SIDE(codec));
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
    jpeg_read_raw_data(codec, arrays, step);
  }
  return FP_JPEG_OK;
}

fp_jpeg_status fp_jpeg_decoder_read_planes(
    fp_jpeg_decoder *decoder, uint8_t *const planes[], const size_t strides[], const int rows[], int scan_limit,
    fp_jpeg_checkpoint checkpoint, void *user) {
  if (decoder->codec.num_components > FP_JPEG_COMPONENTS) return FP_JPEG_FAILED;
  watch(decoder, scan_limit, checkpoint, user);
  const fp_jpeg_status status = read_plane_rows(decoder, planes, strides, rows);
  return status == FP_JPEG_OK ? finish(decoder) : status;
}

static fp_jpeg_status read_pixel_rows(fp_jpeg_decoder *decoder, uint8_t *pixels, size_t stride) {
  j_decompress_ptr codec = &decoder->codec;
  if (setjmp(decoder->errors.escape)) return decoder->errors.status;
  codec->raw_data_out = FALSE;
  codec->out_color_space = codec->num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(codec);
  while (codec->output_scanline < codec->output_height) {
    JSAMPROW row = pixels + (size_t)codec->output_scanline * stride;
    jpeg_read_scanlines(codec, &row, 1);
  }
  return FP_JPEG_OK;
}

fp_jpeg_status fp_jpeg_decoder_read_pixels(
    fp_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int scan_limit, fp_jpeg_checkpoint checkpoint,
    void *user) {
  watch(decoder, scan_limit, checkpoint, user);
  const fp_jpeg_status status = read_pixel_rows(decoder, pixels, stride);
  return status == FP_JPEG_OK ? finish(decoder) : status;
}

size_t fp_jpeg_decoder_offset(const fp_jpeg_decoder *decoder) {
  // At its end the source has moved on to two bytes that stand for the end of the picture.
  if (decoder->errors.notes.ended_early) return decoder->byte_count;
  return decoder->byte_count - decoder->source.bytes_in_buffer;
}

void fp_jpeg_decoder_notes(const fp_jpeg_decoder *decoder, fp_jpeg_notes *notes) {
  *notes = decoder->errors.notes;
}
