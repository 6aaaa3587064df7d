import CImageKernels

/// The rows of a picture as its pixel data holds them: a filter byte, then the bytes of the pixels (PNG, third edition, 7.2).
struct PNGScanlines {
  /// How many there are.
  let count: Int
  /// The bytes of a row without its filter byte.
  let rowBytes: Int
  /// The bytes of all of them.
  let byteCount: Int
  /// How far back a filter looks: the bytes of a pixel, at least one (9.2).
  private let pixelBytes: Int

  /// nil where there are passes, or too many bytes to count.
  init?(_ container: PNGContainer) {
    guard !container.isInterlaced else { return nil }
    let pixelBits = container.colorType.channels * container.bitDepth
    let (rowBits, overflows) = container.size.width.multipliedReportingOverflow(by: pixelBits)
    guard !overflows, rowBits < Int.max - 16 else { return nil }
    rowBytes = (rowBits + 7) / 8
    let (byteCount, isTooMuch) = (rowBytes + 1).multipliedReportingOverflow(by: container.size.height)
    guard !isTooMuch else { return nil }
    self.byteCount = byteCount
    count = container.size.height
    pixelBytes = max(pixelBits / 8, 1)
  }

  /// Whether all of them have a filter that exists.
  func haveKnownFilters(_ base: UnsafeRawPointer) -> Bool {
    (0..<count).allSatisfy { base.load(fromByteOffset: $0 * (rowBytes + 1), as: UInt8.self) <= 4 }
  }

  /// Whether a row is stored as it is.
  func isUnfiltered(_ row: Int, of base: UnsafeRawPointer) -> Bool {
    base.load(fromByteOffset: row * (rowBytes + 1), as: UInt8.self) == 0
  }

  /// Where the bytes of a row begin.
  func bytes(of row: Int, in base: UnsafeRawPointer) -> UnsafeRawPointer {
    base + row * (rowBytes + 1) + 1
  }

  /// Undoes the filter of a row; the row above has had its own undone, or is zeros.
  func reconstruct(
    _ row: Int, of base: UnsafeRawPointer, above: UnsafeRawPointer, into target: UnsafeMutableRawPointer
  ) {
    kernels_undo_filter_u8(
      Int32(base.load(fromByteOffset: row * (rowBytes + 1), as: UInt8.self)), Int32(pixelBytes),
      bytes(of: row, in: base).assumingMemoryBound(to: UInt8.self), above.assumingMemoryBound(to: UInt8.self),
      target.assumingMemoryBound(to: UInt8.self), rowBytes)
  }
}

extension PNGContainer.ColorType {
  /// The stored samples of a pixel (table 8).
  fileprivate var channels: Int {
    switch self {
    case .gray, .palette: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }
}
