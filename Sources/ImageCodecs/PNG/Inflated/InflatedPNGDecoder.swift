import FetchPipeline

/// Decodes usual PNGs in half of libpng's time: their pixel data is inflated at once, and its filters are undone by vectors.
///
/// Serves what is regular to its last byte, and declines everything else before anything of it has been judged: what a
/// flaw costs, libpng decides. Its results are libpng's to the bit. libdeflate takes a few codes of Huffman's that zlib
/// refuses; no compressor writes them, and the checksums hold for them too.
final class InflatedPNGDecoder {
  /// The most bytes that are inflated at once. They wait beside the picture, where libpng needs two rows; and libdeflate
  /// cannot be stopped, which takes up to 50 ms for so many. Four million pixels with alpha.
  static let largestByteCount = 16 << 20
  /// What a session keeps of it between pictures, so that the system need not clear the pages for each: a tenth of the
  /// time.
  private static let keptByteCount = 4 << 20

  private let inflater: Inflater?
  private let inflated = ScratchMemory()

  init() {
    inflater = Inflater()
  }

  /// The bytes that a picture needs here beside what libpng does; nil where that is to decode it.
  ///
  /// - Parameter streamed: what libpng needs.
  static func byteCount(for container: PNGContainer, _ geometry: BoxGeometry, streamed: Double, limits: Limits) -> Int?
  {
    guard let scanlines = PNGScanlines(container), container.isWhole, !container.hasFlaw,
      scanlines.byteCount <= largestByteCount, container.pixelByteCount <= largestByteCount,
      // libpng stops below what is wanted of the picture.
      geometry.rows.upperBound > container.size.height / 4,
      // Larger than what it holds, which no compressor lets happen; the small have their headers.
      container.pixelByteCount <= max(scanlines.byteCount + scanlines.byteCount / 8192, 1 << 20)
    else { return nil }
    let bytes = scanlines.byteCount + (container.pixelChunkCount > 1 ? container.pixelByteCount : 0)
    // Where memory is short it is better spent on several pictures at a time.
    if let memory = limits.memory, streamed + Double(bytes) > Double(memory.bytes) / 2 { return nil }
    return bytes
  }

  /// Decodes a picture whose headers libpng has found to be right, and of which `byteCount` is known.
  ///
  /// - Throws: `DecoderDeclined`, and what `checkpoint` throws.
  func decode(
    _ file: UnsafeRawBufferPointer, _ container: PNGContainer, _ geometry: BoxGeometry, limits: Limits,
    into image: inout PixelImage, checkpoint: DecodeCheckpoint
  ) throws {
    guard let scanlines = PNGScanlines(container), let inflater else { throw DecoderDeclined("no memory, or passes") }
    defer { inflated.trim(to: min(Self.keptByteCount, (limits.memory?.bytes ?? .max) / 64)) }
    // Given back before there are rows; the stream may lie in it.
    let (base, expansion) = try withExtendedLifetime(ScratchMemory()) { joined in
      let data = try PNGPixelData(file, of: container, joined: joined, checkpoint: checkpoint)
      let expansion = try ScanlineExpansion(container, data, layout: image.layout)
      try checkpoint()
      guard let content = inflated.reserve(scanlines.byteCount), inflater.inflate(data.stream, into: content),
        let base = content.baseAddress, scanlines.haveKnownFilters(base)
      else { throw DecoderDeclined("pixel data that is not as usual") }
      return (UnsafeRawPointer(base), expansion)
    }
    let rows = ReconstructedRows(scanlines, base, expansion, container.size.width, image.pixelBytes)
    try rows.read(geometry, into: &image, checkpoint: checkpoint)
  }

  /// The bytes that are kept now.
  var keptBytes: Int { inflated.capacity }

  /// Gives back what is kept, for a picture that has no use for it.
  func release() {
    inflated.trim(to: 0)
  }
}
