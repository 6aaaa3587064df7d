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

void kernels_load_row_f32(
    const void *samples, int bytes, int channels, int premultiplies, float *out, ptrdiff_t pixels) {
  if (bytes == 1) {
    load_bytes(samples, out, pixels * channels);
  } else {
    load_words(samples, out, pixels * channels);
  }
  if (!premultiplies) return;
  if (channels == 4) {
    for (ptrdiff_t x = 0; x < pixels; x++) {
      const float alpha = out[4 * x + 3];
      out[4 * x] *= alpha;
      out[4 * x + 1] *= alpha;
      out[4 * x + 2] *= alpha;
    }
  } else {
    for (ptrdiff_t x = 0; x < pixels; x++) {
      for (int c = 0; c < channels - 1; c++) out[channels * x + c] *= out[channels * x + channels - 1];
    }
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

void kernels_store_row_f32(
    const float *interleaved, int row, int bytes, int channels, enum kernels_alpha alpha, void *out, ptrdiff_t pixels) {
  const float most = bytes == 1 ? 255 : 65535;
  uint8_t *octets = out;
  uint16_t *words = out;
  interleaved += row;
  for (ptrdiff_t x = 0; x < pixels; x++) {
    float scale = 1, limit = most;
    if (alpha != kernels_alpha_none) {
      const float opacity = clamped(interleaved[8 * (channels * x + channels - 1)], most);
      // Where the rounded alpha is 0, so is the colour, which nobody sees.
      const int visible = opacity >= 0.5f;
      if (alpha == kernels_alpha_divide) {
        scale = visible ? 1 / opacity : 0;
      } else {
        limit = (float)(int)(opacity + 0.5f);
      }
    }
    for (int c = 0; c < channels; c++) {
      const int isColor = alpha != kernels_alpha_none && c < channels - 1;
      const float value = interleaved[8 * (channels * x + c)];
      const float kept = isColor ? clamped(value * scale, limit) : clamped(value, most);
      const int sample = (int)(kept + 0.5f);
      if (bytes == 1) {
        octets[channels * x + c] = (uint8_t)sample;
      } else {
        words[channels * x + c] = (uint16_t)sample;
      }
    }
  }
}
