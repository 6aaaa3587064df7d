import CImageKernels
import FetchPipeline

/// Resamples a plane of bytes in integers: rows first, then columns, eight target rows at a time.
///
/// Between the passes the eight rows lie interleaved, so that the second pass weighs whole vectors, whatever the number of
/// channels. Sums have 32 bits. What is kept between the passes has 6 fractional bits: with the overshoot of the sharpest
/// kernel (27 %) 255 becomes 20,800, which 16 bits hold.
struct FixedPointPass {
  private static let keptBits = 6
  private static let rows = Int(kernels_rows)

  /// Aligned to 16 bytes, as every row of a picture is.
  let source: UnsafePointer<UInt8>
  /// A multiple of 16.
  let sourceStride: Int
  let target: UnsafeMutablePointer<UInt8>
  /// A multiple of 8: rows are written in blocks of 8.
  let targetStride: Int
  let channels: Int
  /// Whether colours are premultiplied, and so must not exceed the last channel.
  let limitsToAlpha: Bool
  let columns: AxisWeights
  let lines: AxisWeights

  func run(checkpoint: DecodeCheckpoint?) throws {
    // Blocks of 16 samples: rows start at multiples of that and are as long, so that a block never leaves its row.
    let begin = (Int(columns.first[0]) * channels) & ~15
    let count = ((columns.end * channels + 15) & ~15) - begin
    let slack = columns.taps * channels
    let resultCount = (columns.count * channels + 7) & ~7
    let scratch = ScratchMemory(byteCounts: [
      count * Self.rows * 2, (count + channels) * Self.rows * 2, (count + slack) * Self.rows * 4,
      resultCount * Self.rows * 2, lines.taps * MemoryLayout<UnsafePointer<UInt8>>.stride,
    ])
    defer { withExtendedLifetime(scratch) {} }
    let weighed = scratch.buffer(0, of: Int16.self)
    let turned = scratch.buffer(1, of: Int16.self)
    let pairs = scratch.buffer(2, of: Int16.self)
    let result = scratch.buffer(3, of: Int16.self)
    let pointers = scratch.buffer(4, of: UnsafePointer<UInt8>.self)
    // Taps that weigh nothing may lie behind the last column.
    (pairs + count * Self.rows * 2).update(repeating: 0, count: slack * Self.rows * 2)
    (result + columns.count * channels * Self.rows).update(
      repeating: 0, count: (resultCount - columns.count * channels) * Self.rows)

    let taps = Int32(lines.taps)
    let work = Self.rows * (count * lines.taps + resultCount * columns.taps)
    var pace = CheckpointPace(checkpoint)
    try lines.fixed.withUnsafeBufferPointer { lineWeights in
      try columns.fixed.withUnsafeBufferPointer { columnWeights in
        guard let lineWeights = lineWeights.baseAddress, let columnWeights = columnWeights.baseAddress else { return }
        for top in stride(from: 0, to: lines.count, by: Self.rows) {
          for index in 0..<Self.rows {
            let line = min(top + index, lines.count - 1)
            let first = Int(lines.first[line])
            for tap in 0..<lines.taps {
              pointers[tap] = source + min(first + tap, lines.end - 1) * sourceStride + begin
            }
            kernels_weigh_rows_u8(
              pointers, lineWeights + line * lines.taps, taps, Int32(lines.fractionBits - Self.keptBits),
              weighed + index * count, count)
          }
          kernels_pair_columns_i16(weighed, count, Int32(channels), turned, pairs)
          kernels_weigh_columns_i16(
            pairs, begin, columns.first, columnWeights, Int32(columns.taps),
            Int32(columns.fractionBits + Self.keptBits),
            Int32(channels), result, columns.count)
          kernels_store_rows_u8(
            result, resultCount, target + top * targetStride, targetStride, Int32(min(lines.count - top, Self.rows)))
          if limitsToAlpha {
            for line in top..<min(top + Self.rows, lines.count) {
              kernels_limit_to_alpha_u8(target + line * targetStride, Int32(channels), columns.count)
            }
          }
          try pace.done(work)
        }
      }
    }
  }
}
