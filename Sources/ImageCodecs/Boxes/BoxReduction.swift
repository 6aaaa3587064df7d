import FetchPipeline

/// Averages boxes of pixels while rows come in: sums columns first, over as many rows as a box has, then along the row.
///
/// Colours are multiplied by alpha as they are summed, so that what cannot be seen does not bleed in. A box that reaches
/// beyond the right edge sees the last column again: the sample stays in the middle of its box.
final class BoxReduction {
  /// The arithmetic of a kind of pixels, each with integers that just hold a column's sum.
  private enum Sums {
    case opaque8(OpaqueSums<UInt8, UInt16>)
    case opaque16(OpaqueSums<UInt16, UInt32>)
    case alpha8(AlphaSums<UInt8, UInt32>)
    case alpha16(AlphaSums<UInt16, UInt64>)
  }

  private let sums: Sums
  private let rowsOfBox: Int
  private var rows = 0

  /// - Parameters:
  ///   - width: the pixels of a row.
  ///   - factor: columns and rows of a box, at most `BoxGeometry.largestFactor`.
  init(layout: PixelLayout, depth: SampleDepth, width: Int, factor: PixelSize) {
    rowsOfBox = factor.height
    let channels = layout.channels
    sums =
      switch (depth, layout.hasAlpha) {
      case (.eight, false): .opaque8(OpaqueSums(channels: channels, width: width, factor: factor))
      case (.sixteen, false): .opaque16(OpaqueSums(channels: channels, width: width, factor: factor))
      case (.eight, true): .alpha8(AlphaSums(channels: channels, width: width, factor: factor))
      case (.sixteen, true): .alpha16(AlphaSums(channels: channels, width: width, factor: factor))
      }
  }

  /// Whether as many rows were added as a box has.
  var isComplete: Bool { rows == rowsOfBox }

  /// Adds a row of pixels; the last one stands in for those that are missing in its box.
  func add(_ row: UnsafeRawPointer, isLast: Bool) {
    repeat {
      switch sums {
      case .opaque8(let sums): sums.add(row, isFirst: rows == 0)
      case .opaque16(let sums): sums.add(row, isFirst: rows == 0)
      case .alpha8(let sums): sums.add(row, isFirst: rows == 0)
      case .alpha16(let sums): sums.add(row, isFirst: rows == 0)
      }
      rows += 1
    } while isLast && !isComplete
  }

  /// Writes the row of averages, and starts anew.
  func finish(into samples: UnsafeMutableRawPointer) {
    switch sums {
    case .opaque8(let sums): sums.write(to: samples)
    case .opaque16(let sums): sums.write(to: samples)
    case .alpha8(let sums): sums.write(to: samples)
    case .alpha16(let sums): sums.write(to: samples)
    }
    rows = 0
  }
}

/// Sums of columns of boxes, the channels of a pixel side by side; `Sum` holds that of a column.
private struct OpaqueSums<
  Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
> {
  private let channels: Int
  private let factor: PixelSize
  private let sums: ColumnSums<Sum>
  private let mean: RoundedMean

  init(channels: Int, width: Int, factor: PixelSize) {
    self.channels = channels
    self.factor = factor
    sums = ColumnSums(count: width * channels)
    mean = RoundedMean(divisor: UInt64(factor.width * factor.height), largest: UInt64(Sample.max))
  }

  @inline(__always)
  func add(_ row: UnsafeRawPointer, isFirst: Bool) {
    let samples = row.assumingMemoryBound(to: Sample.self)
    let (sums, count) = (sums.base, sums.count)
    if isFirst {
      for index in 0..<count { sums[index] = Sum(truncatingIfNeeded: samples[index]) }
    } else {
      for index in 0..<count { sums[index] &+= Sum(truncatingIfNeeded: samples[index]) }
    }
  }

  @inline(__always)
  func write(to samples: UnsafeMutableRawPointer) {
    let samples = samples.assumingMemoryBound(to: Sample.self)
    let lines = BoxLine(width: sums.count / channels, factor: factor.width, mean: mean)
    if channels == 1 {
      lines.write(sums.base, step: 1, to: samples, step: 1)
    } else {
      lines.writeTriples(sums.base, to: samples)
    }
  }
}

/// Sums of columns of boxes, each channel for itself, colours times alpha; `Sum` holds that of a column.
private struct AlphaSums<
  Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger
> {
  private let channels: Int
  private let width: Int
  private let factor: PixelSize
  private let sums: ColumnSums<Sum>
  private let mean: RoundedMean

  init(channels: Int, width: Int, factor: PixelSize) {
    self.channels = channels
    self.width = width
    self.factor = factor
    sums = ColumnSums(count: width * channels)
    mean = RoundedMean(
      divisor: UInt64(factor.width * factor.height) * UInt64(Sample.max), largest: UInt64(Sample.max))
  }

  @inline(__always)
  func add(_ row: UnsafeRawPointer, isFirst: Bool) {
    if isFirst { sums.base.update(repeating: 0, count: sums.count) }
    let (base, width) = (sums.base, width)
    let full = Sum(truncatingIfNeeded: Sample.max)
    let samples = row.assumingMemoryBound(to: Sample.self)
    if channels == 2 {
      let alphas = base + width
      for column in 0..<width {
        let alpha = Sum(truncatingIfNeeded: samples[column * 2 + 1])
        base[column] &+= Sum(truncatingIfNeeded: samples[column * 2]) &* alpha
        alphas[column] &+= full &* alpha
      }
      return
    }
    let (greens, blues, alphas) = (base + width, base + width * 2, base + width * 3)
    for column in 0..<width {
      let alpha = Sum(truncatingIfNeeded: samples[column * 4 + 3])
      base[column] &+= Sum(truncatingIfNeeded: samples[column * 4]) &* alpha
      greens[column] &+= Sum(truncatingIfNeeded: samples[column * 4 + 1]) &* alpha
      blues[column] &+= Sum(truncatingIfNeeded: samples[column * 4 + 2]) &* alpha
      alphas[column] &+= full &* alpha
    }
  }

  @inline(__always)
  func write(to samples: UnsafeMutableRawPointer) {
    let samples = samples.assumingMemoryBound(to: Sample.self)
    let line = BoxLine(width: width, factor: factor.width, mean: mean)
    for channel in 0..<channels {
      line.write(sums.base + channel * width, step: 1, to: samples + channel, step: channels)
    }
  }
}

/// The second half of the average: along a row of sums of columns.
private struct BoxLine {
  let width: Int
  let factor: Int
  let mean: RoundedMean

  /// Writes the means of three channels whose sums lie side by side.
  @inline(__always)
  func writeTriples<Sum: FixedWidthInteger & UnsignedInteger, Sample: FixedWidthInteger & UnsignedInteger>(
    _ sums: UnsafePointer<Sum>, to samples: UnsafeMutablePointer<Sample>
  ) {
    let whole = width / factor
    var column = sums
    for box in 0..<whole {
      // 32 bits hold the largest box of the largest samples.
      var (first, second, third) = (UInt32(0), UInt32(0), UInt32(0))
      for _ in 0..<factor {
        first &+= UInt32(truncatingIfNeeded: column[0])
        second &+= UInt32(truncatingIfNeeded: column[1])
        third &+= UInt32(truncatingIfNeeded: column[2])
        column += 3
      }
      let sample = samples + box * 3
      sample[0] = Sample(truncatingIfNeeded: mean(of: UInt64(first)))
      sample[1] = Sample(truncatingIfNeeded: mean(of: UInt64(second)))
      sample[2] = Sample(truncatingIfNeeded: mean(of: UInt64(third)))
    }
    guard whole * factor < width else { return }
    for channel in 0..<3 { writeLast(sums + channel, step: 3, to: samples + channel, step: 3) }
  }

  /// Writes the means of one channel, whose sums and samples lie `step` apart.
  @inline(__always)
  func write<Sum: FixedWidthInteger & UnsignedInteger, Sample: FixedWidthInteger & UnsignedInteger>(
    _ sums: UnsafePointer<Sum>, step: Int, to samples: UnsafeMutablePointer<Sample>, step sampleStep: Int
  ) {
    let whole = width / factor
    var at = 0
    for box in 0..<whole {
      var total: UInt64 = 0
      for _ in 0..<factor {
        total &+= UInt64(truncatingIfNeeded: sums[at])
        at += step
      }
      samples[box * sampleStep] = Sample(truncatingIfNeeded: mean(of: total))
    }
    if whole * factor < width { writeLast(sums, step: step, to: samples, step: sampleStep) }
  }

  /// Writes the mean of a box that reaches beyond the edge.
  @inline(__always)
  private func writeLast<Sum: FixedWidthInteger & UnsignedInteger, Sample: FixedWidthInteger & UnsignedInteger>(
    _ sums: UnsafePointer<Sum>, step: Int, to samples: UnsafeMutablePointer<Sample>, step sampleStep: Int
  ) {
    let whole = width / factor
    let rest = width - whole * factor
    var total: UInt64 = 0
    for column in (whole * factor)..<width { total &+= UInt64(truncatingIfNeeded: sums[column * step]) }
    total &+= UInt64(truncatingIfNeeded: sums[(width - 1) * step]) &* UInt64(factor - rest)
    samples[whole * sampleStep] = Sample(truncatingIfNeeded: mean(of: total))
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
