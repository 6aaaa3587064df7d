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
      count * 4, count * Self.rows * 8, (count + slack) * Self.rows * 4, resultCount * Self.rows * 4,
    ])
    defer { withExtendedLifetime(scratch) {} }
    let row = scratch.buffer(0, of: Float.self)
    let sums = scratch.buffer(1, of: Float.self)
    let interleaved = scratch.buffer(2, of: Float.self)
    let result = scratch.buffer(3, of: Float.self)
    // Taps that weigh nothing may lie behind the last column, and nothing times infinity would not be nothing.
    (interleaved + count * Self.rows).update(repeating: 0, count: slack * Self.rows)
    sums.update(repeating: 0, count: count * Self.rows * 2)

    let (depthBytes, channelCount) = (Int32(depth.bytes), Int32(channels))
    let storing =
      switch alpha {
      case .none: kernels_alpha_none
      case .straight: kernels_alpha_divide
      case .premultiplied: kernels_alpha_limit
      }
    let looksAhead = canLookAhead
    var nextLine = 0
    var pace = CheckpointPace(checkpoint)
    try columns.float.withUnsafeBufferPointer { columnWeights in
      guard let columnWeights = columnWeights.baseAddress else { return }
      for top in stride(from: 0, to: lines.count, by: Self.rows) {
        // Two sets of sums take turns: while these rows are finished, the next eight are begun.
        let set = looksAhead ? (top / Self.rows) & 1 : 0
        let bottom = min(top + Self.rows, lines.count) - 1
        let begun = looksAhead ? min(top + 2 * Self.rows, lines.count) - 1 : bottom
        let end = endLine(of: bottom)
        let first = Int(lines.first[top])
        for line in (looksAhead ? max(first, nextLine) : first)..<end {
          kernels_load_row_f32(
            source + line * sourceStride + firstColumn * channels * depth.bytes, depthBytes, channelCount,
            alpha == .straight ? 1 : 0, row, pixels)
          var weighed = 1
          for index in 0...(begun - top) {
            let tap = line - Int(lines.first[top + index])
            guard tap >= 0, tap < lines.taps else { continue }
            let weight = lines.float[(top + index) * lines.taps + tap]
            if weight == 0 { continue }
            let slot = (set * Self.rows + index) % (2 * Self.rows)
            kernels_accumulate_row_f32(row, weight, sums + slot * count, count)
            weighed += 1
          }
          try pace.done(weighed * count)
        }
        nextLine = end
        let finished = sums + set * Self.rows * count
        kernels_interleave_rows_f32(finished, count, interleaved)
        finished.update(repeating: 0, count: count * Self.rows)
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

  /// One past the last source row that a target row is made of.
  private func endLine(of line: Int) -> Int { min(Int(lines.first[line]) + lines.taps, lines.end) }

  /// Whether no source row is of use to more than two neighbouring groups of eight target rows, so that each has to be
  /// read only once. So it is in reductions.
  private var canLookAhead: Bool {
    stride(from: 0, to: lines.count, by: Self.rows).allSatisfy { top in
      let afterNext = top + 2 * Self.rows
      guard afterNext < lines.count else { return true }
      return Int(lines.first[afterNext]) >= endLine(of: top + Self.rows - 1)
    }
  }
}
