// Decodes binary PGM and PPM ("P5" and "P6" of Netpbm, pgm(5) and ppm(5)), 8 and 16 bits a sample.

#include <stdio.h>
#include <string.h>

#include "fetch_pipeline_plugin.h"

struct header {
  uint32_t width, height, maximum, channels;
  /// Where the samples begin.
  size_t start;
};

static int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/// Reads a number after white space and comments; 0 where there is none or it is too large.
static uint32_t number(const uint8_t *bytes, size_t count, size_t *position) {
  size_t at = *position;
  while (at < count && (is_space(bytes[at]) || bytes[at] == '#')) {
    if (bytes[at] == '#') {
      while (at < count && bytes[at] != '\n') at++;
    } else {
      at++;
    }
  }
  uint32_t value = 0;
  while (at < count && bytes[at] >= '0' && bytes[at] <= '9') {
    if (value > 100000000) return 0;
    value = value * 10 + (uint32_t)(bytes[at++] - '0');
  }
  *position = at;
  return value;
}

static int32_t fail(int32_t status, const char *reason, char *message, size_t message_size) {
  snprintf(message, message_size, "%s", reason);
  return status;
}

static int32_t matches(void *user, const uint8_t *bytes, size_t count) {
  (void)user;
  return count >= 3 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6') && (is_space(bytes[2]) || bytes[2] == '#');
}

static int32_t read_header(const uint8_t *bytes, size_t count, struct header *header, char *message, size_t size) {
  if (!matches(NULL, bytes, count)) return fail(FP_DECLINED, "neither P5 nor P6", message, size);
  size_t at = 2;
  header->channels = bytes[1] == '5' ? 1 : 3;
  header->width = number(bytes, count, &at);
  header->height = number(bytes, count, &at);
  header->maximum = number(bytes, count, &at);
  if (at >= count) return fail(FP_TRUNCATED, "the header is cut off", message, size);
  if (header->width == 0 || header->height == 0) return fail(FP_CORRUPT, "a side is 0 or no number", message, size);
  if (header->maximum == 0 || header->maximum > 65535 || !is_space(bytes[at])) {
    return fail(FP_CORRUPT, "the largest sample is not 1 to 65535", message, size);
  }
  header->start = at + 1;
  return FP_OK;
}

static int32_t probe(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                     fp_probe *probe, char *message, size_t size) {
  (void)user, (void)session, (void)values;
  struct header header;
  int32_t status = read_header(bytes, count, &header, message, size);
  if (status != FP_OK) return status;
  probe->width = header.width;
  probe->height = header.height;
  probe->layout = header.channels == 1 ? FP_GRAY : FP_RGB;
  probe->depth = header.maximum > 255 ? 16 : 8;
  return FP_OK;
}

/// The options, in the order of the table below.
enum { STRICT };

static int32_t decode(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                      const fp_picture *picture, const fp_checkpoint *checkpoint, char *message, size_t size) {
  (void)user, (void)session;
  struct header header;
  int32_t status = read_header(bytes, count, &header, message, size);
  if (status != FP_OK) return status;
  // Sizes fit: width and height are below 2^31 and a pixel has at most 6 bytes.
  const size_t samples = (size_t)header.width * header.channels;
  const size_t row = samples * (header.maximum > 255 ? 2 : 1);
  if ((count - header.start) / row < header.height) return fail(FP_TRUNCATED, "rows are missing", message, size);
  if (values[STRICT].integer && count - header.start > row * header.height) {
    return fail(FP_CORRUPT, "there are bytes behind the last row", message, size);
  }
  for (uint32_t y = 0; y < header.height; y++) {
    if (y % 16 == 0 && !checkpoint->proceed(checkpoint->context)) return FP_STOPPED;
    const uint8_t *source = bytes + header.start + y * row;
    uint8_t *target = picture->pixels + y * picture->bytes_per_row;
    for (size_t x = 0; x < samples; x++) {
      uint32_t sample = header.maximum > 255 ? (uint32_t)source[2 * x] << 8 | source[2 * x + 1] : source[x];
      if (sample > header.maximum) return fail(FP_CORRUPT, "a sample is larger than the largest", message, size);
      if (header.maximum > 255) {
        uint16_t value = (uint16_t)((sample * 65535ull + header.maximum / 2) / header.maximum);
        memcpy(target + 2 * x, &value, 2);
      } else {
        target[x] = (uint8_t)((sample * 255 + header.maximum / 2) / header.maximum);
      }
    }
  }
  return FP_OK;
}

static const fp_option options[] = {
    [STRICT] = {.name = "strict",
                .meaning = "whether bytes behind the last row are an error",
                .type = FP_BOOLEAN,
                .default_value = {.is_set = 1, .integer = 0}},
};

static const fp_decoder decoder = {
    .struct_size = sizeof(fp_decoder),
    .option_count = sizeof options / sizeof options[0],
    .name = "pnm",
    .format = "pnm",
    .summary = "decodes binary PGM and PPM",
    .options = options,
    .matches = matches,
    .probe = probe,
    .decode = decode,
};

void fetch_pipeline_plugin_describe(fp_plugin_info *info) { fp_describe_c(info); }

int32_t fetch_pipeline_plugin_stages(const fp_host *host) {
  host->add_decoder(host->context, &decoder);
  return FP_OK;
}
