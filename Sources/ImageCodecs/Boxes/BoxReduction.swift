import FetchPipeline

/// Averages boxes of pixels while rows come in: sums columns first, over as many rows as a box has, then along the row.
///
/// Colours are multiplied by alpha as they are summed, so that what cannot be seen does not bleed in. A box that reaches
/// beyond the right edge sees the last column again: the sample stays in the middle of its box.
protocol BoxReduction: AnyObject {
  /// Adds a row of pixels.
  func add(_ row: UnsafeRawPointer)
  /// Whether as many rows were added as a box has.
  var isComplete: Bool { get }
  /// Writes the row of averages, and starts anew.
  func finish(into samples: UnsafeMutableRawPointer)
}

extension BoxReduction {
  /// Adds a row of pixels; the last one stands in for those that are missing in its box.
  func add(_ row: UnsafeRawPointer, isLast: Bool) {
    add(row)
    while isLast, !isComplete { add(row) }
  }
}

/// The reduction for pixels of a kind.
///
/// - Parameters:
///   - width: the pixels of a row.
///   - factor: columns and rows of a box, at most `BoxGeometry.largestFactor`.
func makeBoxReduction(
  layout: PixelLayout, depth: SampleDepth, width: Int, factor: PixelSize
) -> any BoxReduction {
  switch (depth, layout.hasAlpha) {
  case (.eight, false): OpaqueBoxes<UInt8, UInt16>(channels: layout.channels, width: width, factor: factor)
  case (.sixteen, false): OpaqueBoxes<UInt16, UInt32>(channels: layout.channels, width: width, factor: factor)
  case (.eight, true): AlphaBoxes<UInt8, UInt32>(channels: layout.channels, width: width, factor: factor)
  case (.sixteen, true): AlphaBoxes<UInt16, UInt64>(channels: layout.channels, width: width, factor: factor)
  }
}

/// Sums of whole columns of boxes; `Sum` holds that of a column.
private final class OpaqueBoxes<
  Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
>: BoxReduction {
  private let channels: Int
  private let factor: PixelSize
  private let sums: ColumnSums<Sum>
  private let mean: RoundedMean
  private var rows = 0

  init(channels: Int, width: Int, factor: PixelSize) {
    self.channels = channels
    self.factor = factor
    sums = ColumnSums(count: width * channels)
    mean = RoundedMean(divisor: UInt64(factor.width * factor.height), largest: UInt64(Sample.max))
  }

  var isComplete: Bool { rows == factor.height }

  func add(_ row: UnsafeRawPointer) {
    let samples = row.assumingMemoryBound(to: Sample.self)
    let sums = sums.base
    if rows == 0 {
      for index in 0..<self.sums.count { sums[index] = Sum(truncatingIfNeeded: samples[index]) }
    } else {
      for index in 0..<self.sums.count { sums[index] &+= Sum(truncatingIfNeeded: samples[index]) }
    }
    rows += 1
  }

  func finish(into samples: UnsafeMutableRawPointer) {
    let samples = samples.assumingMemoryBound(to: Sample.self)
    let width = sums.count / channels
    for channel in 0..<channels {
      var output = channel
      forEachBox(of: width) { columns, repeats in
        var total: UInt64 = 0
        for column in columns { total &+= UInt64(truncatingIfNeeded: sums.base[column * channels + channel]) }
        let last = sums.base[(columns.upperBound - 1) * channels + channel]
        total &+= UInt64(truncatingIfNeeded: last) &* UInt64(repeats)
        samples[output] = Sample(truncatingIfNeeded: mean(of: total))
        output += channels
      }
    }
    rows = 0
  }

  private func forEachBox(of width: Int, _ body: (_ columns: Range<Int>, _ repeats: Int) -> Void) {
    var column = 0
    while column < width {
      let end = min(column + factor.width, width)
      body(column..<end, factor.width - (end - column))
      column = end
    }
  }
}

/// Sums of whole columns of boxes, each channel for itself, colours times alpha; `Sum` holds that of a column.
private final class AlphaBoxes<
  Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
>: BoxReduction {
  private let channels: Int
  private let width: Int
  private let factor: PixelSize
  private let sums: ColumnSums<Sum>
  private let mean: RoundedMean
  private var rows = 0

  init(channels: Int, width: Int, factor: PixelSize) {
    self.channels = channels
    self.width = width
    self.factor = factor
    sums = ColumnSums(count: width * channels)
    mean = RoundedMean(
      divisor: UInt64(factor.width * factor.height) * UInt64(Sample.max), largest: UInt64(Sample.max))
  }

  var isComplete: Bool { rows == factor.height }

  func add(_ row: UnsafeRawPointer) {
    if rows == 0 { sums.base.update(repeating: 0, count: sums.count) }
    let samples = row.assumingMemoryBound(to: Sample.self)
    let alphas = sums.base + (channels - 1) * width
    for column in 0..<width {
      let at = column * channels
      let alpha = Sum(truncatingIfNeeded: samples[at + channels - 1])
      for channel in 0..<(channels - 1) {
        sums.base[channel * width + column] &+= Sum(truncatingIfNeeded: samples[at + channel]) &* alpha
      }
      alphas[column] &+= alpha &* Sum(truncatingIfNeeded: Sample.max)
    }
    rows += 1
  }

  func finish(into samples: UnsafeMutableRawPointer) {
    let samples = samples.assumingMemoryBound(to: Sample.self)
    for channel in 0..<channels {
      let row = sums.base + channel * width
      var output = channel
      var column = 0
      while column < width {
        let end = min(column + factor.width, width)
        var total: UInt64 = 0
        for index in column..<end { total &+= UInt64(truncatingIfNeeded: row[index]) }
        total &+= UInt64(truncatingIfNeeded: row[end - 1]) &* UInt64(factor.width - (end - column))
        samples[output] = Sample(truncatingIfNeeded: mean(of: total))
        output += channels
        column = end
      }
    }
    rows = 0
  }
}

/// The owner of the sums of columns.
private final class ColumnSums<Sum: FixedWidthInteger> {
  let base: UnsafeMutablePointer<Sum>
  let count: Int

  init(count: Int) {
    self.count = count
    base = .allocate(capacity: max(count, 1))
    base.initialize(repeating: 0, count: max(count, 1))
  }

  deinit {
    base.deallocate()
  }
}

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
