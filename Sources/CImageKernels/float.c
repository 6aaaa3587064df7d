#include "CImageKernels.h"

// A product and a sum are rounded each for itself on every processor, so that they give the same pixels.
#pragma STDC FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))

INLINE void load_bytes(const uint8_t *samples, float *out, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) out[i] = samples[i];
}

INLINE void load_words(const uint16_t *samples, float *out, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) out[i] = samples[i];
}

typedef float f32x4 __attribute__((vector_size(16)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));

// Four channels, the colours multiplied by the last.
INLINE void store_premultiplied(f32x4 pixel, float *out) {
  f32x4 factors = __builtin_shufflevector(pixel, pixel, 3, 3, 3, 3);
  factors[3] = 1;
  pixel *= factors;
  __builtin_memcpy(out, &pixel, sizeof pixel);
}

void kernels_load_row_f32(
    const void *samples, int bytes, int channels, int premultiplies, float *out, ptrdiff_t pixels) {
  if (premultiplies && channels == 4) {
    const uint8_t *octets = samples;
    const uint16_t *words = samples;
    for (ptrdiff_t x = 0; x < pixels; x++, out += 4) {
      if (bytes == 1) {
        u8x4 pixel;
        __builtin_memcpy(&pixel, octets + 4 * x, sizeof pixel);
        store_premultiplied(__builtin_convertvector(pixel, f32x4), out);
      } else {
        u16x4 pixel;
        __builtin_memcpy(&pixel, words + 4 * x, sizeof pixel);
        store_premultiplied(__builtin_convertvector(pixel, f32x4), out);
      }
    }
    return;
  }
  if (bytes == 1) {
    load_bytes(samples, out, pixels * channels);
  } else {
    load_words(samples, out, pixels * channels);
  }
  if (!premultiplies) return;
  for (ptrdiff_t x = 0; x < pixels; x++) {
    for (int c = 0; c < channels - 1; c++) out[channels * x + c] *= out[channels * x + channels - 1];
  }
}

INLINE void accumulate_row(const float *restrict samples, float weight, float *restrict sums, ptrdiff_t count) {
  for (ptrdiff_t x = 0; x < count; x++) sums[x] += samples[x] * weight;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void accumulate_row_avx2(
    const float *samples, float weight, float *sums, ptrdiff_t count) {
  accumulate_row(samples, weight, sums, count);
}
#endif

void kernels_accumulate_row_f32(const float *samples, float weight, float *sums, ptrdiff_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    accumulate_row_avx2(samples, weight, sums, count);
    return;
  }
#endif
  accumulate_row(samples, weight, sums, count);
}

void kernels_interleave_rows_f32(const float *rows, ptrdiff_t count, float *out) {
  for (ptrdiff_t x = 0; x < count; x++, out += 8) {
    for (int row = 0; row < 8; row++) out[row] = rows[row * count + x];
  }
}

INLINE void weigh_columns(
    const float *interleaved, ptrdiff_t begin, const int32_t *first, const float *weights, int taps, int channels,
    float *restrict out, ptrdiff_t count) {
  for (ptrdiff_t x = 0; x < count; x++, weights += taps) {
    const float *column = interleaved + 8 * ((ptrdiff_t)first[x] * channels - begin);
    for (int c = 0; c < channels; c++, column += 8, out += 8) {
      float sums[8] = {0};
      const float *samples = column;
      for (int k = 0; k < taps; k++, samples += 8 * channels) {
        for (int row = 0; row < 8; row++) sums[row] += samples[row] * weights[k];
      }
      for (int row = 0; row < 8; row++) out[row] = sums[row];
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void weigh_columns_avx2(
    const float *interleaved, ptrdiff_t begin, const int32_t *first, const float *weights, int taps, int channels, float *out,
    ptrdiff_t count) {
  weigh_columns(interleaved, begin, first, weights, taps, channels, out, count);
}
#endif

void kernels_weigh_columns_f32(
    const float *interleaved, ptrdiff_t begin, const int32_t *first, const float *weights, int taps, int channels, float *out,
    ptrdiff_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    weigh_columns_avx2(interleaved, begin, first, weights, taps, channels, out, count);
    return;
  }
#endif
  weigh_columns(interleaved, begin, first, weights, taps, channels, out, count);
}

// Negative values become 0; the sum with a half rounds half up.
INLINE float clamped(float value, float most) { return value < 0 ? 0 : value > most ? most : value; }

// Inlined for each kind of sample and alpha, so that no pixel has to ask.
INLINE void store_row(
    const float *interleaved, int bytes, int channels, enum kernels_alpha alpha, void *out, ptrdiff_t pixels) {
  const float most = bytes == 1 ? 255 : 65535;
  uint8_t *octets = out;
  uint16_t *words = out;
  const int colors = alpha == kernels_alpha_none ? channels : channels - 1;
  for (ptrdiff_t x = 0; x < pixels; x++, interleaved += 8 * channels) {
    float scale = 1, limit = most;
    if (alpha != kernels_alpha_none) {
      const float opacity = clamped(interleaved[8 * colors], most);
      const int rounded = (int)(opacity + 0.5f);
      if (alpha == kernels_alpha_divide) {
        // Where the rounded alpha is 0, so is the colour, which nobody sees.
        scale = rounded > 0 ? 1 / opacity : 0;
      } else {
        limit = (float)rounded;
      }
      if (bytes == 1) {
        octets[channels * x + colors] = (uint8_t)rounded;
      } else {
        words[channels * x + colors] = (uint16_t)rounded;
      }
    }
    for (int c = 0; c < colors; c++) {
      const int sample = (int)(clamped(interleaved[8 * c] * scale, limit) + 0.5f);
      if (bytes == 1) {
        octets[channels * x + c] = (uint8_t)sample;
      } else {
        words[channels * x + c] = (uint16_t)sample;
      }
    }
  }
}

void kernels_store_row_f32(
    const float *interleaved, int row, int bytes, int channels, enum kernels_alpha alpha, void *out, ptrdiff_t pixels) {
  const float *first = interleaved + row;
  if (bytes == 1 && channels == 4 && alpha == kernels_alpha_divide) {
    store_row(first, 1, 4, kernels_alpha_divide, out, pixels);
  } else if (bytes == 1) {
    store_row(first, 1, channels, alpha, out, pixels);
  } else if (channels == 3 && alpha == kernels_alpha_none) {
    store_row(first, 2, 3, kernels_alpha_none, out, pixels);
  } else if (channels == 4 && alpha == kernels_alpha_divide) {
    store_row(first, 2, 4, kernels_alpha_divide, out, pixels);
  } else {
    store_row(first, 2, channels, alpha, out, pixels);
  }
}
