import CImageKernels
import FetchPipeline

/// Resamples an interleaved or single plane in floats: 16-bit samples, straight alpha, which is multiplied in on the way
/// and divided out again, and reductions whose weights are too small for integers.
///
/// As `FixedPointPass` does, rows first and eight target rows at a time.
struct FloatPass {
  private static let rows = Int(kernels_rows)

  let source: UnsafeRawPointer
  let sourceStride: Int
  let target: UnsafeMutableRawPointer
  let targetStride: Int
  let depth: SampleDepth
  let channels: Int
  let alpha: PlanePass.AlphaHandling
  let columns: AxisWeights
  let lines: AxisWeights

  func run(checkpoint: DecodeCheckpoint?) throws {
    let firstColumn = Int(columns.first[0])
    let pixels = columns.end - firstColumn
    let count = pixels * channels
    let slack = columns.taps * channels
    let resultCount = columns.count * channels
    let scratch = ScratchMemory(byteCounts: [
      count * 4, count * Self.rows * 4, (count + slack) * Self.rows * 4, resultCount * Self.rows * 4,
    ])
    defer { withExtendedLifetime(scratch) {} }
    let row = scratch.buffer(0, of: Float.self)
    let sums = scratch.buffer(1, of: Float.self)
    let interleaved = scratch.buffer(2, of: Float.self)
    let result = scratch.buffer(3, of: Float.self)
    // Taps that weigh nothing may lie behind the last column, and nothing times infinity would not be nothing.
    (interleaved + count * Self.rows).update(repeating: 0, count: slack * Self.rows)

    let (depthBytes, channelCount) = (Int32(depth.bytes), Int32(channels))
    let storing =
      switch alpha {
      case .none: kernels_alpha_none
      case .straight: kernels_alpha_divide
      case .premultiplied: kernels_alpha_limit
      }
    var pace = CheckpointPace(checkpoint)
    try columns.float.withUnsafeBufferPointer { columnWeights in
      guard let columnWeights = columnWeights.baseAddress else { return }
      for top in stride(from: 0, to: lines.count, by: Self.rows) {
        let bottom = min(top + Self.rows, lines.count) - 1
        sums.update(repeating: 0, count: count * Self.rows)
        for line in Int(lines.first[top])..<min(Int(lines.first[bottom]) + lines.taps, lines.end) {
          kernels_load_row_f32(
            source + line * sourceStride + firstColumn * channels * depth.bytes, depthBytes, channelCount,
            alpha == .straight ? 1 : 0, row, pixels)
          var weighed = 1
          for index in 0...(bottom - top) {
            let tap = line - Int(lines.first[top + index])
            guard tap >= 0, tap < lines.taps else { continue }
            let weight = lines.float[(top + index) * lines.taps + tap]
            if weight != 0 { kernels_accumulate_row_f32(row, weight, sums + index * count, count) }
            weighed += 1
          }
          try pace.done(weighed * count)
        }
        kernels_interleave_rows_f32(sums, count, interleaved)
        kernels_weigh_columns_f32(
          interleaved, firstColumn * channels, columns.first, columnWeights, Int32(columns.taps), channelCount, result,
          columns.count)
        for index in 0...(bottom - top) {
          kernels_store_row_f32(
            result, Int32(index), depthBytes, channelCount, storing, target + (top + index) * targetStride,
            columns.count)
        }
        try pace.done(Self.rows * resultCount * columns.taps)
      }
    }
  }
}
