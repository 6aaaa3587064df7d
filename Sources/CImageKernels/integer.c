#include "CImageKernels.h"

// Two forms of each loop: for x86, where every 64-bit processor has SSE2 and most have AVX2, and a plain one that
// compilers vectorise for others. A function of its own for AVX2 rather than target_clones, whose resolvers run before the
// thread sanitizer does.

#if defined(__x86_64__)

#include <immintrin.h>

// A pair of weights in every lane.
#define PAIR_OF_WEIGHTS(weights, k, splat) \
  ({ int32_t both; __builtin_memcpy(&both, (weights) + (k), 4); splat(both); })

static void weigh_rows_sse2(
    const uint8_t *const *rows, const int16_t *weights, int taps, int shift, int16_t *out, ptrdiff_t count) {
  const __m128i half = _mm_set1_epi32(1 << (shift - 1)), zero = _mm_setzero_si128(), places = _mm_cvtsi32_si128(shift);
  for (ptrdiff_t x = 0; x < count; x += 16) {
    __m128i s0 = half, s1 = half, s2 = half, s3 = half;
    for (int k = 0; k < taps; k += 2) {
      const __m128i w = PAIR_OF_WEIGHTS(weights, k, _mm_set1_epi32);
      const __m128i a = _mm_load_si128((const __m128i *)(rows[k] + x));
      const __m128i b = _mm_load_si128((const __m128i *)(rows[k + 1] + x));
      const __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
      s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), w));
      s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), w));
      s2 = _mm_add_epi32(s2, _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), w));
      s3 = _mm_add_epi32(s3, _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), w));
    }
    _mm_store_si128((__m128i *)(out + x), _mm_packs_epi32(_mm_sra_epi32(s0, places), _mm_sra_epi32(s1, places)));
    _mm_store_si128((__m128i *)(out + x + 8), _mm_packs_epi32(_mm_sra_epi32(s2, places), _mm_sra_epi32(s3, places)));
  }
}

__attribute__((target("avx2"))) static void weigh_rows_avx2(
    const uint8_t *const *rows, const int16_t *weights, int taps, int shift, int16_t *out, ptrdiff_t count) {
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
  const __m128i places = _mm_cvtsi32_si128(shift);
  for (ptrdiff_t x = 0; x < count; x += 16) {
    __m256i s0 = half, s1 = half;
    for (int k = 0; k < taps; k += 2) {
      const __m256i w = PAIR_OF_WEIGHTS(weights, k, _mm256_set1_epi32);
      const __m128i a = _mm_load_si128((const __m128i *)(rows[k] + x));
      const __m128i b = _mm_load_si128((const __m128i *)(rows[k + 1] + x));
      s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), w));
      s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), w));
    }
    const __m256i packed = _mm256_packs_epi32(_mm256_sra_epi32(s0, places), _mm256_sra_epi32(s1, places));
    _mm256_storeu_si256((__m256i *)(out + x), _mm256_permute4x64_epi64(packed, 0xd8));
  }
}

void kernels_weigh_rows_u8(
    const uint8_t *const *rows, const int16_t *weights, int taps, int shift, int16_t *out, ptrdiff_t count) {
  if (__builtin_cpu_supports("avx2")) {
    weigh_rows_avx2(rows, weights, taps, shift, out, count);
  } else {
    weigh_rows_sse2(rows, weights, taps, shift, out, count);
  }
}

static inline void transpose(const __m128i *in, __m128i *out) {
  const __m128i a0 = _mm_unpacklo_epi16(in[0], in[4]), a1 = _mm_unpackhi_epi16(in[0], in[4]);
  const __m128i a2 = _mm_unpacklo_epi16(in[1], in[5]), a3 = _mm_unpackhi_epi16(in[1], in[5]);
  const __m128i a4 = _mm_unpacklo_epi16(in[2], in[6]), a5 = _mm_unpackhi_epi16(in[2], in[6]);
  const __m128i a6 = _mm_unpacklo_epi16(in[3], in[7]), a7 = _mm_unpackhi_epi16(in[3], in[7]);
  const __m128i b0 = _mm_unpacklo_epi16(a0, a4), b1 = _mm_unpackhi_epi16(a0, a4);
  const __m128i b2 = _mm_unpacklo_epi16(a1, a5), b3 = _mm_unpackhi_epi16(a1, a5);
  const __m128i b4 = _mm_unpacklo_epi16(a2, a6), b5 = _mm_unpackhi_epi16(a2, a6);
  const __m128i b6 = _mm_unpacklo_epi16(a3, a7), b7 = _mm_unpackhi_epi16(a3, a7);
  out[0] = _mm_unpacklo_epi16(b0, b4), out[1] = _mm_unpackhi_epi16(b0, b4);
  out[2] = _mm_unpacklo_epi16(b1, b5), out[3] = _mm_unpackhi_epi16(b1, b5);
  out[4] = _mm_unpacklo_epi16(b2, b6), out[5] = _mm_unpackhi_epi16(b2, b6);
  out[6] = _mm_unpacklo_epi16(b3, b7), out[7] = _mm_unpackhi_epi16(b3, b7);
}

void kernels_pair_columns_i16(
    const int16_t *rows, ptrdiff_t count, int channels, int16_t *scratch, int16_t *pairs) {
  __m128i *columns = (__m128i *)scratch, *out = (__m128i *)pairs;
  for (ptrdiff_t x = 0; x < count; x += 8) {
    __m128i block[8];
    for (int row = 0; row < 8; row++) block[row] = _mm_load_si128((const __m128i *)(rows + row * count + x));
    transpose(block, columns + x);
  }
  for (int c = 0; c < channels; c++) columns[count + c] = _mm_setzero_si128();
  for (ptrdiff_t x = 0; x < count; x++) {
    const __m128i a = columns[x], b = columns[x + channels];
    out[2 * x] = _mm_unpacklo_epi16(a, b);
    out[2 * x + 1] = _mm_unpackhi_epi16(a, b);
  }
}

static void weigh_columns_sse2(
    const int16_t *pairs, ptrdiff_t begin, const int32_t *first, const int16_t *weights, int taps, int shift, int channels,
    int16_t *out, ptrdiff_t count) {
  const __m128i half = _mm_set1_epi32(1 << (shift - 1)), places = _mm_cvtsi32_si128(shift);
  __m128i *result = (__m128i *)out;
  for (ptrdiff_t x = 0; x < count; x++, weights += taps) {
    const int16_t *column = pairs + 16 * ((ptrdiff_t)first[x] * channels - begin);
    for (int c = 0; c < channels; c++, column += 16) {
      __m128i low = half, high = half;
      const __m128i *pair = (const __m128i *)column;
      for (int k = 0; k < taps; k += 2, pair += 4 * channels) {
        const __m128i w = PAIR_OF_WEIGHTS(weights, k, _mm_set1_epi32);
        low = _mm_add_epi32(low, _mm_madd_epi16(pair[0], w));
        high = _mm_add_epi32(high, _mm_madd_epi16(pair[1], w));
      }
      *result++ = _mm_packs_epi32(_mm_sra_epi32(low, places), _mm_sra_epi32(high, places));
    }
  }
}

__attribute__((target("avx2"))) static void weigh_columns_avx2(
    const int16_t *pairs, ptrdiff_t begin, const int32_t *first, const int16_t *weights, int taps, int shift, int channels,
    int16_t *out, ptrdiff_t count) {
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
  const __m128i places = _mm_cvtsi32_si128(shift);
  __m128i *result = (__m128i *)out;
  for (ptrdiff_t x = 0; x < count; x++, weights += taps) {
    const int16_t *column = pairs + 16 * ((ptrdiff_t)first[x] * channels - begin);
    for (int c = 0; c < channels; c++, column += 16) {
      __m256i sum = half;
      const int16_t *pair = column;
      for (int k = 0; k < taps; k += 2, pair += 32 * channels) {
        const __m256i w = PAIR_OF_WEIGHTS(weights, k, _mm256_set1_epi32);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)pair), w));
      }
      sum = _mm256_sra_epi32(sum, places);
      *result++ = _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    }
  }
}

void kernels_weigh_columns_i16(
    const int16_t *pairs, ptrdiff_t begin, const int32_t *first, const int16_t *weights, int taps, int shift, int channels,
    int16_t *out, ptrdiff_t count) {
  if (__builtin_cpu_supports("avx2")) {
    weigh_columns_avx2(pairs, begin, first, weights, taps, shift, channels, out, count);
  } else {
    weigh_columns_sse2(pairs, begin, first, weights, taps, shift, channels, out, count);
  }
}

void kernels_store_rows_u8(const int16_t *interleaved, ptrdiff_t count, uint8_t *out, ptrdiff_t stride, int rows) {
  for (ptrdiff_t x = 0; x < count; x += 8) {
    __m128i block[8];
    transpose((const __m128i *)interleaved + x, block);
    for (int row = 0; row < rows; row++) {
      _mm_storel_epi64((__m128i *)(out + row * stride + x), _mm_packus_epi16(block[row], block[row]));
    }
  }
}

#else

static inline int16_t clamped(int32_t value) {
  return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

void kernels_weigh_rows_u8(
    const uint8_t *const *rows, const int16_t *weights, int taps, int shift, int16_t *out, ptrdiff_t count) {
  for (ptrdiff_t x = 0; x < count; x += 16) {
    int32_t sums[16];
    for (int i = 0; i < 16; i++) sums[i] = 1 << (shift - 1);
    for (int k = 0; k < taps; k++) {
      const uint8_t *row = rows[k] + x;
      const int16_t weight = weights[k];
      for (int i = 0; i < 16; i++) sums[i] += (int16_t)row[i] * weight;
    }
    for (int i = 0; i < 16; i++) out[x + i] = clamped(sums[i] >> shift);
  }
}

void kernels_pair_columns_i16(
    const int16_t *rows, ptrdiff_t count, int channels, int16_t *scratch, int16_t *pairs) {
  (void)scratch;
  for (ptrdiff_t x = 0; x < count; x++) {
    for (int row = 0; row < 8; row++) {
      pairs[16 * x + row] = rows[row * count + x];
      pairs[16 * x + 8 + row] = x + channels < count ? rows[row * count + x + channels] : 0;
    }
  }
}

void kernels_weigh_columns_i16(
    const int16_t *pairs, ptrdiff_t begin, const int32_t *first, const int16_t *weights, int taps, int shift, int channels,
    int16_t *out, ptrdiff_t count) {
  for (ptrdiff_t x = 0; x < count; x++, weights += taps) {
    const int16_t *column = pairs + 16 * ((ptrdiff_t)first[x] * channels - begin);
    for (int c = 0; c < channels; c++, column += 16, out += 8) {
      int32_t sums[8];
      for (int row = 0; row < 8; row++) sums[row] = 1 << (shift - 1);
      const int16_t *pair = column;
      for (int k = 0; k < taps; k += 2, pair += 32 * channels) {
        for (int row = 0; row < 8; row++) sums[row] += pair[row] * weights[k] + pair[8 + row] * weights[k + 1];
      }
      for (int row = 0; row < 8; row++) out[row] = clamped(sums[row] >> shift);
    }
  }
}

void kernels_store_rows_u8(const int16_t *interleaved, ptrdiff_t count, uint8_t *out, ptrdiff_t stride, int rows) {
  for (int row = 0; row < rows; row++) {
    for (ptrdiff_t x = 0; x < count; x++) {
      const int16_t value = interleaved[8 * x + row];
      out[row * stride + x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

#endif

void kernels_limit_to_alpha_u8(uint8_t *row, int channels, ptrdiff_t pixels) {
  for (ptrdiff_t x = 0; x < pixels; x++, row += channels) {
    const uint8_t alpha = row[channels - 1];
    for (int c = 0; c < channels - 1; c++) row[c] = row[c] > alpha ? alpha : row[c];
  }
}

int kernels_is_opaque_u8(const uint8_t *row, int channels, ptrdiff_t pixels) {
  uint8_t all = 255;
  row += channels - 1;
  for (ptrdiff_t x = 0; x < pixels; x++, row += channels) all &= *row;
  return all == 255;
}
