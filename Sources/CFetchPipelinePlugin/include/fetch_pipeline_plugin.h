// The boundary between the program and the plugins that it loads while it runs. Plugins/README.md shows how to write one.
//
// A plugin is a shared library with two functions: `fetch_pipeline_plugin_describe`, which says what it was built
// against, and one that adds its stages: `fetch_pipeline_plugin_register` in a plugin in Swift, which adds stages of any
// kind, or `fetch_pipeline_plugin_stages` in a plugin in C (or in any language that can be called from it), which adds
// decoders and transforms through the tables below.

#ifndef FETCH_PIPELINE_PLUGIN_H
#define FETCH_PIPELINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define FP_NONNULL _Nonnull
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
#else
#define FP_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The number of this boundary. A plugin is loaded only by a program with the same number.
#define FP_PLUGIN_ABI 1

/// What a plugin was built against. The first two fields never change.
typedef struct fp_plugin_info {
  /// The bytes of this structure, set by the program.
  uint32_t struct_size;
  /// `FP_PLUGIN_ABI` as the plugin saw it.
  uint32_t abi;
  /// Swift only: whether the core was built for debugging.
  uint32_t is_debug;
  uint32_t reserved;
  /// Swift only: the fingerprint of the core's sources.
  uint64_t core;
  /// Swift only: the version of the compiler, with its commit.
  const char *compiler;
} fp_plugin_info;

/// Says what the plugin was built against: calls `fp_describe_c` or `fp_describe_swift`, which are compiled into the
/// plugin.
void fetch_pipeline_plugin_describe(fp_plugin_info *FP_NONNULL info);

/// Of a plugin in Swift: adds its stages to a registry, by `StageRegistry.register(into:_:)`.
void fetch_pipeline_plugin_register(void *FP_NONNULL registry);

typedef struct fp_host fp_host;

/// Of a plugin in C: adds its stages through the functions of `host`. Returns `FP_OK`, or anything else where it cannot.
int32_t fetch_pipeline_plugin_stages(const fp_host *FP_NONNULL host);

/// The compiler that reads this header.
static inline const char *FP_NONNULL fp_compiler(void) {
#if defined(__clang_version__)
  return __clang_version__;
#else
  return "another compiler";
#endif
}

static inline void fp_describe_c(fp_plugin_info *FP_NONNULL info) { info->abi = FP_PLUGIN_ABI; }

static inline void fp_describe_swift(fp_plugin_info *FP_NONNULL info, uint64_t core, uint32_t is_debug) {
  info->abi = FP_PLUGIN_ABI;
  info->core = core;
  info->is_debug = is_debug;
  info->compiler = fp_compiler();
}

// MARK: Stages in C
//
// Every function may be called from several threads at once, but for one session, which stays on its thread. What the
// tables point to, and the tables' strings, must stay as they are until the process ends.

/// What functions return.
enum {
  FP_OK = 0,
  /// A decoder does not take this picture after all; the next one is asked.
  FP_DECLINED = 1,
  /// The file is damaged.
  FP_CORRUPT = 2,
  /// The file ends too early.
  FP_TRUNCATED = 3,
  /// The file is right, but uses what the decoder cannot.
  FP_UNSUPPORTED = 4,
  /// `proceed` said to stop.
  FP_STOPPED = 5,
  /// There is no memory.
  FP_NO_MEMORY = 6,
  /// Anything else: error code "plugin".
  FP_FAILED = 7
};

/// How samples are arranged; the number is that of a pixel's samples. Alpha is straight.
enum { FP_GRAY = 1, FP_GRAY_ALPHA = 2, FP_RGB = 3, FP_RGBA = 4 };

/// The type of an option.
enum { FP_BOOLEAN = 1, FP_INTEGER = 2, FP_NUMBER = 3, FP_TEXT = 4 };

/// The value of an option. Which fields count, the option's type says.
typedef struct fp_value {
  /// Whether there is a value; 0 for an option without a default that is left out.
  int32_t is_set;
  int32_t reserved;
  /// FP_BOOLEAN (0 or 1) and FP_INTEGER.
  int64_t integer;
  /// FP_NUMBER.
  double number;
  /// FP_TEXT: UTF-8, ended by a zero.
  const char *text;
} fp_value;

/// An option of a stage.
typedef struct fp_option {
  /// As configurations write it.
  const char *name;
  /// What it means, in a sentence.
  const char *meaning;
  uint32_t type;
  /// Not 0: leaving it out is a mistake.
  uint32_t is_required;
  /// FP_INTEGER, FP_NUMBER: the range; both 0 for any.
  double minimum, maximum;
  /// FP_TEXT: the words that it takes, ended by a null pointer; null for any.
  const char *const *choices;
  fp_value default_value;
} fp_option;

/// Samples: rows of `width` pixels from the top left, `bytes_per_row` apart. 16-bit samples are in the machine's order.
typedef struct fp_picture {
  uint32_t width, height;
  /// FP_GRAY…
  uint32_t layout;
  /// 8 or 16.
  uint32_t depth;
  size_t bytes_per_row;
  uint8_t *pixels;
} fp_picture;

/// What a picture's headers say.
typedef struct fp_probe {
  /// The bytes of this structure, set by the program, as all other fields are to 0.
  uint32_t struct_size;
  /// Of the stored pixels, at least 1.
  uint32_t width, height;
  /// FP_GRAY…
  uint32_t layout;
  /// 8 or 16.
  uint32_t depth;
  /// EXIF's, 1 to 8; 0 is 1.
  uint32_t orientation;
  /// The pictures in the container; 0 is 1.
  uint32_t frames;
  uint32_t reserved;
  /// What decoding takes beside the picture.
  uint64_t working_bytes;
} fp_probe;

/// Asked every few milliseconds whether the work may go on: time limits and cancellation come from here.
typedef struct fp_checkpoint {
  void *context;
  /// 0: stop, and return FP_STOPPED.
  int32_t (*proceed)(void *context);
} fp_checkpoint;

/// A decoder. A function that fails may write why, in UTF-8 ended by a zero, to `message` of `message_size` bytes.
typedef struct fp_decoder {
  /// sizeof(fp_decoder).
  uint32_t struct_size;
  uint32_t option_count;
  /// As configurations write it.
  const char *name;
  /// The format, in lower case: it stands in reports.
  const char *format;
  /// What it does, in a sentence.
  const char *summary;
  const fp_option *options;
  /// Passed to every function.
  void *user;
  /// Whether the first bytes (up to 64) are of the format.
  int32_t (*matches)(void *user, const uint8_t *bytes, size_t count);
  /// What a thread keeps from picture to picture; may be null. Null from it means that there is no memory.
  void *(*open)(void *user, const fp_value *values);
  /// Lets go of it; may be null.
  void (*close)(void *user, void *session);
  /// Reads the headers.
  int32_t (*probe)(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                   fp_probe *probe, char *message, size_t message_size);
  /// Writes the pixels, in the size, layout and depth of the probe; what is not written is 0.
  int32_t (*decode)(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                    const fp_picture *picture, const fp_checkpoint *checkpoint, char *message, size_t message_size);
} fp_decoder;

/// A transform of pictures of 8 bits a sample, upright, in sRGB.
typedef struct fp_transform {
  /// sizeof(fp_transform).
  uint32_t struct_size;
  uint32_t option_count;
  /// As configurations write it.
  const char *name;
  /// What it does, in a sentence.
  const char *summary;
  const fp_option *options;
  /// Passed to every function.
  void *user;
  /// The layouts that it takes: 1 << FP_GRAY | …
  uint32_t layouts;
  /// To be raised when the same options make other pixels than before, so that standing pictures are made anew.
  uint32_t revision;
  /// The size of the result, at least 1 × 1; null where it is the input's.
  int32_t (*size)(void *user, const fp_value *values, uint32_t *width, uint32_t *height);
  /// Writes the result, which has the input's layout; what is not written is 0.
  int32_t (*apply)(void *user, const fp_value *values, const fp_picture *input, const fp_picture *output,
                   const fp_checkpoint *checkpoint, char *message, size_t message_size);
} fp_transform;

/// Takes the stages of a plugin in C.
struct fp_host {
  /// sizeof(fp_host) of the program.
  uint32_t struct_size;
  uint32_t reserved;
  void *context;
  void (*add_decoder)(void *context, const fp_decoder *decoder);
  void (*add_transform)(void *context, const fp_transform *transform);
};

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#endif
