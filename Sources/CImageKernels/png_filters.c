#include "CImageKernels.h"

// A pixel of a row needs the one before it, so a row is a chain of pixels, and the vectors are as long as a pixel has bytes.
// Written with the compiler's vectors, which every processor has: what counts is how few steps lie between two pixels.

typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef int16_t samples8 __attribute__((vector_size(16)));

// Keeps a value as it is written, in a register: the compiler would reorder the sums into a longer chain.
#if defined(__x86_64__)
#define KEEP(value) __asm__("" : "+x"(value))
#elif defined(__aarch64__)
#define KEEP(value) __asm__("" : "+w"(value))
#else
#define KEEP(value) (void)0
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE samples8 load(const uint8_t *bytes, ptrdiff_t count) {
  bytes8 all = {0};
  __builtin_memcpy(&all, bytes, (size_t)count);
  return __builtin_convertvector(all, samples8);
}

INLINE void store(samples8 samples, uint8_t *bytes, ptrdiff_t count) {
  const bytes8 all = __builtin_convertvector(samples, bytes8);
  __builtin_memcpy(bytes, &all, (size_t)count);
}

INLINE samples8 undo_sub(samples8 filtered, samples8 left, samples8 above, samples8 corner) {
  (void)above, (void)corner;
  return (filtered + left) & 255;
}

INLINE samples8 undo_average(samples8 filtered, samples8 left, samples8 above, samples8 corner) {
  (void)corner;
  return (filtered + ((left + above) >> 1)) & 255;
}

// Whichever of the three is nearest to left + above - corner; in a tie left before above before corner (PNG, third edition,
// 9.4). That is the lower of left and above where the higher one is at most `limit`, the higher one where the lower one is at
// least that, else the corner. Both hold only where all three are the same.
INLINE samples8 undo_paeth(samples8 filtered, samples8 left, samples8 above, samples8 corner) {
  samples8 limit = corner + corner + corner - above, sum = filtered + corner;
  KEEP(limit);
  KEEP(sum);
  limit -= left;
  const samples8 low = __builtin_elementwise_min(left, above), high = __builtin_elementwise_max(left, above);
  samples8 to_low = low - corner, to_high = high - corner;
  KEEP(to_low);
  KEEP(to_high);
  sum += (samples8)(high <= limit) & to_low;
  KEEP(sum);
  sum += (samples8)(limit <= low) & to_high;
  sum &= 255;
  KEEP(sum);
  return sum;
}

// Loads and stores `reach` bytes for a pixel, where there are so many: what is beyond the pixel is overwritten by the next.
#define UNDO(undo, pixel, reach) \
  do { \
    samples8 left = {0}, corner = {0}; \
    ptrdiff_t x = 0; \
    for (; x + (reach) <= count; x += (pixel)) { \
      const samples8 up = load(above + x, reach); \
      left = undo(load(filtered + x, reach), left, up, corner); \
      store(left, out + x, reach); \
      corner = up; \
    } \
    for (; x < count; x += (pixel)) { \
      const samples8 up = load(above + x, pixel); \
      left = undo(load(filtered + x, pixel), left, up, corner); \
      store(left, out + x, pixel); \
      corner = up; \
    } \
  } while (0)

#define UNDO_FOR_ANY_PIXEL(undo) \
  switch (pixel) { \
    case 1: UNDO(undo, 1, 4); break; \
    case 2: UNDO(undo, 2, 4); break; \
    case 3: UNDO(undo, 3, 4); break; \
    case 4: UNDO(undo, 4, 4); break; \
    case 6: UNDO(undo, 6, 8); break; \
    default: UNDO(undo, 8, 8); break; \
  }

void kernels_undo_filter_u8(
    int filter, int pixel, const uint8_t *filtered, const uint8_t *above, uint8_t *restrict out, ptrdiff_t count) {
  switch (filter) {
    case 0: __builtin_memcpy(out, filtered, (size_t)count); break;
    case 1: UNDO_FOR_ANY_PIXEL(undo_sub); break;
    case 2:
      for (ptrdiff_t x = 0; x < count; x++) out[x] = (uint8_t)(filtered[x] + above[x]);
      break;
    case 3: UNDO_FOR_ANY_PIXEL(undo_average); break;
    default: UNDO_FOR_ANY_PIXEL(undo_paeth); break;
  }
}
