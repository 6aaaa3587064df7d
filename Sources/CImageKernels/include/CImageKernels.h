// The inner loops of resampling and of PNG: no allocation, no state, no errors. Every pointer is the caller's.
//
// The integer loops give the same bits on every processor; those with a wider form pick it at run time. In C because
// Swift has no multiply-and-add of 16-bit pairs: against the same loops in Swift these take half the time with SSE2 and
// a third with AVX2, and in debug builds a hundredth.
#ifndef CIMAGEKERNELS_H
#define CIMAGEKERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Target rows that are worked on at a time.
enum { kernels_rows = 8 };

/// Weighs `taps` (an even number) rows of bytes into one row: out[x] = (Σ rows[k][x] · weights[k] + half) >> shift, for
/// `count` samples, a multiple of 16. Rows and `out` are 16-byte aligned; what does not fit 16 bits is clamped.
void kernels_weigh_rows_u8(
    const uint8_t *_Nonnull const *_Nonnull rows, const int16_t *weights, int taps, int shift, int16_t *out, ptrdiff_t count);

/// Brings eight rows of `count` samples (a multiple of 8), end to end, into the form that `kernels_weigh_columns_i16` takes: for
/// each sample x the pairs of it and the sample `channels` on, for all eight rows: 16 values at pairs[16 · x]. What
/// lies behind the last sample counts as 0. `scratch` holds 8 · (count + channels) values. All are 16-byte aligned.
void kernels_pair_columns_i16(
    const int16_t *rows, ptrdiff_t count, int channels, int16_t *scratch, int16_t *pairs);

/// Weighs columns: for each of `count` targets x and each channel, the eight rows' Σ column[first[x] + k] · weights[x · taps + k],
/// rounded by `shift`. `begin` is the sample with which `pairs` begins. The result has eight rows for each sample.
void kernels_weigh_columns_i16(
    const int16_t *pairs, ptrdiff_t begin, const int32_t *first, const int16_t *weights, int taps, int shift, int channels,
    int16_t *out, ptrdiff_t count);

/// Takes eight interleaved rows apart and stores the first `rows` of them, clamped to 0…255; `count` is a multiple of 8.
void kernels_store_rows_u8(const int16_t *interleaved, ptrdiff_t count, uint8_t *out, ptrdiff_t stride, int rows);

/// Samples of a byte or of 16 bits as floats; colours multiplied by the last channel where `premultiplies`.
void kernels_load_row_f32(
    const void *samples, int bytes, int channels, int premultiplies, float *out, ptrdiff_t pixels);

/// sums[x] += samples[x] · weight, for `count` samples.
void kernels_accumulate_row_f32(const float *samples, float weight, float *sums, ptrdiff_t count);

/// Interleaves eight rows of `count` samples, end to end: out[8 · x + row].
void kernels_interleave_rows_f32(const float *rows, ptrdiff_t count, float *out);

/// Weighs columns of eight interleaved rows, as `kernels_weigh_columns_i16` does.
void kernels_weigh_columns_f32(
    const float *interleaved, ptrdiff_t begin, const int32_t *first, const float *weights, int taps, int channels, float *out,
    ptrdiff_t count);

/// What is done to colours when they are stored.
enum kernels_alpha {
  /// Nothing.
  kernels_alpha_none = 0,
  /// They are divided by the last channel.
  kernels_alpha_divide = 1,
  /// They are limited to the last channel.
  kernels_alpha_limit = 2
};

/// Stores row `row` of eight interleaved ones as bytes or 16-bit samples, rounded and clamped.
void kernels_store_row_f32(
    const float *interleaved, int row, int bytes, int channels, enum kernels_alpha alpha, void *out, ptrdiff_t pixels);

/// Limits the colours of a row of bytes to the last channel, which a sharp kernel may have let them overshoot.
void kernels_limit_to_alpha_u8(uint8_t *row, int channels, ptrdiff_t pixels);

/// Whether the last channel of a row of bytes is 255 everywhere.
int kernels_is_opaque_u8(const uint8_t *row, int channels, ptrdiff_t pixels);

/// Undoes the filter of a PNG row (PNG, third edition, 9.2): none, sub, up, average and Paeth are 0…4.
///
/// `pixel` is the bytes of a pixel: 1, 2, 3, 4, 6 or 8, and 1 where it has less than one; `count`, the bytes of the row, is
/// a multiple of it. `above` is the row above, with its filter undone, or zeros. `out` overlaps neither of the others.
void kernels_undo_filter_u8(
    int filter, int pixel, const uint8_t *filtered, const uint8_t *above, uint8_t *out, ptrdiff_t count);

#pragma clang assume_nonnull end

#endif
