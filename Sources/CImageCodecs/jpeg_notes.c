#include "jpeg_notes.h"

#include <string.h>

#include <jerror.h>

static fp_jpeg_error kind_of_error(j_common_ptr codec) {
  switch (codec->err->msg_code) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
      return FP_JPEG_ERROR_UNSUPPORTED;
    case JERR_EMPTY_IMAGE: {
      // No height: it stands behind the first scan (T.81, B.2.5).
      const bool lacks_height = codec->is_decompressor && ((j_decompress_ptr)codec)->image_height == 0;
      return lacks_height ? FP_JPEG_ERROR_UNSUPPORTED : FP_JPEG_ERROR_CORRUPT;
    }
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
      return FP_JPEG_ERROR_TOO_BIG;
    default:
      return FP_JPEG_ERROR_CORRUPT;
  }
}

// Keeps the first message of the highest rank.
static void note_message(j_common_ptr codec, message_rank rank) {
  fp_jpeg_errors *errors = (fp_jpeg_errors *)codec->err;
  if (errors->rank >= rank) return;
  errors->rank = rank;
  char text[JMSG_LENGTH_MAX];
  codec->err->format_message(codec, text);
  strncpy(errors->notes.message, text, FP_JPEG_MESSAGE - 1);
}

static void on_error(j_common_ptr codec) {
  fp_jpeg_errors *errors = (fp_jpeg_errors *)codec->err;
  errors->notes.error = kind_of_error(codec);
  note_message(codec, MESSAGE_OF_ERROR);
  fp_jpeg_leave(codec, codec->err->msg_code == JERR_OUT_OF_MEMORY ? FP_JPEG_NO_MEMORY : FP_JPEG_FAILED);
}

// The most bytes before a restart marker that are taken for padding.
enum { MOST_PADDING = 16 };

static void on_message(j_common_ptr codec, int level) {
  if (level >= 0) return;  // traces
  fp_jpeg_errors *errors = (fp_jpeg_errors *)codec->err;
  message_rank rank = MESSAGE_OF_DAMAGE;
  switch (codec->err->msg_code) {
    case JWRN_JPEG_EOF:
      errors->notes.ended_early = true;
      break;
    case JWRN_HIT_MARKER:
      errors->notes.missing_data++;
      break;
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      errors->notes.corrupt_data++;
      break;
    case JWRN_EXTRANEOUS_DATA: {
      // Bytes between segments cost nothing. Before a restart marker a few may be padding; more are what is left of an
      // interval whose blocks came out of fewer bytes than the encoder made of them: the decoder had lost its place.
      const int marker = codec->err->msg_parm.i[1];
      if (marker >= JPEG_RST0 && marker <= JPEG_RST0 + 7 && codec->err->msg_parm.i[0] > MOST_PADDING) {
        errors->notes.corrupt_data++;
      } else {
        errors->notes.harmless++;
        rank = MESSAGE_OF_FLAW;
      }
      break;
    }
    default:
      errors->notes.harmless++;
      rank = MESSAGE_OF_FLAW;
      break;
  }
  note_message(codec, rank);
}

static void on_output(j_common_ptr codec) {
  (void)codec;
}

void fp_jpeg_errors_init(fp_jpeg_errors *errors) {
  memset(errors, 0, sizeof *errors);
  jpeg_std_error(&errors->base);
  errors->base.error_exit = on_error;
  errors->base.emit_message = on_message;
  errors->base.output_message = on_output;
}

void fp_jpeg_errors_reset(fp_jpeg_errors *errors) {
  errors->status = FP_JPEG_OK;
  errors->rank = NO_MESSAGE;
  memset(&errors->notes, 0, sizeof errors->notes);
  errors->base.num_warnings = 0;
}

void fp_jpeg_leave(j_common_ptr codec, fp_jpeg_status status) {
  fp_jpeg_errors *errors = (fp_jpeg_errors *)codec->err;
  errors->status = status;
  longjmp(errors->escape, 1);
}

int fp_jpeg_library_version(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
  return LIBJPEG_TURBO_VERSION_NUMBER;
#else
  return 0;
#endif
}
