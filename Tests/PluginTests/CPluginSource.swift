/// Plugins in C, as text.
enum CPluginSource {
  /// Darkens pictures by an option `by`, or does what `apply` says.
  static func transform(name: String, apply: String = "darken") -> String {
    """
    #include <string.h>
    #include "fetch_pipeline_plugin.h"

    static int32_t darken(void *user, const fp_value *values, const fp_picture *input, const fp_picture *output,
                          const fp_checkpoint *checkpoint, char *message, size_t message_size) {
      for (uint32_t y = 0; y < input->height; y++) {
        if (!checkpoint->proceed(checkpoint->context)) return FP_STOPPED;
        for (size_t x = 0; x < (size_t)input->width * input->layout; x++) {
          uint8_t sample = input->pixels[y * input->bytes_per_row + x];
          output->pixels[y * output->bytes_per_row + x] = sample - sample * values[0].integer / 100;
        }
      }
      if (values[1].text && strcmp(values[1].text, "never") == 0) {
        strncpy(message, "it was told so", message_size - 1);
        return FP_FAILED;
      }
      return FP_OK;
    }

    static const char *const words[] = {"always", "never", 0};
    static const fp_option options[] = {
      {.name = "by", .meaning = "percent", .type = FP_INTEGER, .minimum = 0, .maximum = 100,
       .default_value = {.is_set = 1, .integer = 50}},
      {.name = "works", .meaning = "whether it works", .type = FP_TEXT, .choices = words,
       .default_value = {.is_set = 1, .text = "always"}},
    };
    static const fp_transform transform = {
      .struct_size = sizeof(fp_transform), .option_count = 2, .name = "\(name)", .summary = "darkens",
      .options = options, .layouts = 1 << FP_RGB | 1 << FP_GRAY, .apply = \(apply),
    };
    void fetch_pipeline_plugin_describe(fp_plugin_info *info) { fp_describe_c(info); }
    int32_t fetch_pipeline_plugin_stages(const fp_host *host) {
      host->add_transform(host->context, &transform);
      return FP_OK;
    }
    """
  }

  /// A decoder of everything that starts with "FAKE"; the next byte is what `decode` returns.
  static let decoder = """
    #include "fetch_pipeline_plugin.h"

    static int32_t matches(void *user, const uint8_t *bytes, size_t count) {
      return count >= 5 && bytes[0] == 'F' && bytes[1] == 'A' && bytes[2] == 'K' && bytes[3] == 'E';
    }
    static int32_t probe(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                         fp_probe *probe, char *message, size_t message_size) {
      probe->width = bytes[4] == 'w' ? 0 : 3;
      probe->height = 2;
      probe->layout = FP_GRAY;
      probe->depth = 8;
      probe->orientation = 6;
      return FP_OK;
    }
    static int32_t decode(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                          const fp_picture *picture, const fp_checkpoint *checkpoint, char *message, size_t message_size) {
      if (!checkpoint->proceed(checkpoint->context)) return FP_STOPPED;
      picture->pixels[picture->bytes_per_row] = 200;
      message[0] = 'm';
      return bytes[4] - '0';
    }
    static const fp_decoder decoder = {
      .struct_size = sizeof(fp_decoder), .name = "fake", .format = "fake", .summary = "decodes fakes",
      .matches = matches, .probe = probe, .decode = decode,
    };
    void fetch_pipeline_plugin_describe(fp_plugin_info *info) { fp_describe_c(info); }
    int32_t fetch_pipeline_plugin_stages(const fp_host *host) {
      host->add_decoder(host->context, &decoder);
      return FP_OK;
    }
    """
}
