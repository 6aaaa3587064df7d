import FetchPipeline

/// Rows of samples, made one after the other from what was inflated.
final class ReconstructedRows {
  private let scanlines: PNGScanlines
  private let base: UnsafeRawPointer
  private let expansion: ScanlineExpansion
  private let width: Int
  private let sampleBytes: Int
  /// Two rows to undo filters in by turns, a row of zeros that stands above the first one, and one for samples.
  private let memory: UnsafeMutableRawPointer
  private let spacing: Int

  /// - Parameters:
  ///   - base: the scanlines, which outlive this.
  ///   - width: the pixels of a row.
  ///   - pixelBytes: the bytes of a pixel's samples.
  init(
    _ scanlines: PNGScanlines, _ base: UnsafeRawPointer, _ expansion: ScanlineExpansion, _ width: Int, _ pixelBytes: Int
  ) {
    self.scanlines = scanlines
    self.base = base
    self.expansion = expansion
    self.width = width
    sampleBytes = width * pixelBytes
    spacing = (max(scanlines.rowBytes, sampleBytes) + 63) & ~63
    memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * spacing, alignment: 64)
    (memory + 2 * spacing).initializeMemory(as: UInt8.self, repeating: 0, count: scanlines.rowBytes)
  }

  deinit {
    memory.deallocate()
  }

  /// Reads what is wanted of the picture.
  ///
  /// - Throws: `DecoderDeclined` for an index that stands for no colour, and what `checkpoint` throws.
  func read(_ geometry: BoxGeometry, into image: inout PixelImage, checkpoint: DecodeCheckpoint) throws {
    let stride = image.planes[0].bytesPerRow
    let left = geometry.columns.lowerBound * (sampleBytes / width)
    let reduction =
      geometry.isReduced
      ? BoxReduction(layout: image.layout, depth: image.depth, width: geometry.columns.count, factor: geometry.factor)
      : nil
    try image.withUnsafeMutableBytes(ofPlane: 0) { plane in
      guard var target = plane.baseAddress else { return }
      guard let reduction else {
        return try forEachRow(to: geometry.rows.upperBound, checkpoint) { row in
          guard row >= geometry.rows.lowerBound else { return nil }
          return target + (row - geometry.rows.lowerBound) * stride
        } body: { _, _ in
        }
      }
      try forEachRow(to: geometry.rows.upperBound, checkpoint) { _ in
        nil
      } body: { row, samples in
        guard row >= geometry.rows.lowerBound else { return }
        reduction.add(samples + left, isLast: row == geometry.rows.upperBound - 1)
        guard reduction.isComplete else { return }
        reduction.finish(into: target)
        target += stride
      }
    }
    if geometry.isReduced, image.alpha == .straight { image.alpha = .premultiplied }
  }

  /// Calls `body` with each row's number and samples, which are at `place` of the row, or anywhere where that is nil.
  private func forEachRow(
    to end: Int, _ checkpoint: DecodeCheckpoint, place: (_ row: Int) -> UnsafeMutableRawPointer?,
    body: (_ row: Int, _ samples: UnsafeRawPointer) -> Void
  ) throws {
    let batch = max(Self.bytesBetweenCheckpoints / sampleBytes, 1)
    var above = UnsafeRawPointer(memory + 2 * spacing)
    for row in 0..<end {
      if row % batch == 0 { try checkpoint() }
      let wanted = place(row)
      let bytes: UnsafeRawPointer
      if scanlines.isUnfiltered(row, of: base), wanted == nil || !expansion.isNone {
        bytes = scanlines.bytes(of: row, in: base)
      } else {
        let target = (expansion.isNone ? wanted : nil) ?? memory + (row & 1) * spacing
        scanlines.reconstruct(row, of: base, above: above, into: target)
        bytes = UnsafeRawPointer(target)
      }
      above = bytes
      guard !expansion.isNone else {
        body(row, bytes)
        continue
      }
      let samples = wanted ?? memory + 3 * spacing
      guard expansion.expand(bytes, byteCount: scanlines.rowBytes, width: width, into: samples) else {
        throw DecoderDeclined("an index beyond the palette")
      }
      body(row, UnsafeRawPointer(samples))
    }
  }

  private static let bytesBetweenCheckpoints = 1 << 16
}
