/// Divides sums by the same number, rounding halves up; by a multiplication where that is exact.
struct RoundedMean {
  private let divisor: UInt64
  private let half: UInt64
  /// 2^`shift` / `divisor`, rounded up; 0 for a division.
  private let multiplier: UInt64
  private let shift: UInt64

  /// - Parameter largest: the largest quotient, at most 65,535.
  init(divisor: UInt64, largest: UInt64) {
    self.divisor = divisor
    half = divisor / 2
    // With m = 2^k/d + e, e ≤ 1, the product is t/d + t·e/2^k: right if t·d < 2^k. And t·m must fit 64 bits.
    let bits = UInt64(64 - (largest + 1).leadingZeroBitCount)
    shift = 63 - bits
    let (square, overflow) = divisor.multipliedReportingOverflow(by: divisor)
    let isExact = !overflow && square < (UInt64(1) << shift) / (largest + 2)
    multiplier = isExact ? (UInt64(1) << shift) / divisor + 1 : 0
  }

  /// The quotient of `total`, which is at most `largest` times the divisor.
  @inline(__always)
  func callAsFunction(of total: UInt64) -> UInt64 {
    let sum = total &+ half
    return multiplier == 0 ? sum / divisor : (sum &* multiplier) &>> shift
  }
}
