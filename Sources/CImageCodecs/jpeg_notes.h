// What decoder and encoder share: an error manager that notes instead of printing, and returns by longjmp.
#ifndef FETCH_PIPELINE_JPEG_NOTES_H
#define FETCH_PIPELINE_JPEG_NOTES_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "fp_jpeg.h"

typedef enum { NO_MESSAGE, MESSAGE_OF_FLAW, MESSAGE_OF_DAMAGE, MESSAGE_OF_ERROR } message_rank;

typedef struct {
  struct jpeg_error_mgr base;  // first: the library's pointer to it is ours
  jmp_buf escape;
  fp_jpeg_status status;
  fp_jpeg_notes notes;
  message_rank rank;  // of the message in `notes`
} fp_jpeg_errors;

void fp_jpeg_errors_init(fp_jpeg_errors *errors);
void fp_jpeg_errors_reset(fp_jpeg_errors *errors);

// Leaves the library with a status of our own.
_Noreturn void fp_jpeg_leave(j_common_ptr codec, fp_jpeg_status status);

#endif
