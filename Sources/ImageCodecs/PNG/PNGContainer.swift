import FetchPipeline

/// What the chunks of a PNG file say beside the pixels: a walk along its framing, which unpacks nothing.
///
/// Sections refer to PNG, third edition (W3C, 2025).
struct PNGContainer {
  /// The size (11.2.1).
  private(set) var size: PixelSize
  /// Bits of a stored sample: 1, 2, 4, 8 or 16.
  private(set) var bitDepth = 0
  private(set) var colorType = ColorType.gray
  /// Whether rows come in seven passes (8.1).
  private(set) var isInterlaced = false
  /// Whether there is a tRNS chunk before the pixels (11.3.1.1).
  private(set) var hasTransparencyChunk = false
  /// Whether there is an iCCP chunk before the pixels (11.3.2.3), and how many bytes it has.
  private(set) var profileByteCount: Int?
  /// What the eXIf chunk says (11.3.4.5).
  private(set) var orientation = Orientation.up
  /// The frames that acTL announces (11.3.3.1), else 1.
  private(set) var frames = 1
  /// The bytes of all IDAT chunks (11.2.3), and how many chunks there are.
  private(set) var pixelByteCount = 0
  private(set) var pixelChunkCount = 0
  /// What chunks say of the colours.
  private(set) var color = PNGColor()
  /// Whether all chunks are there, to IEND.
  private(set) var isWhole = false
  /// Whether a chunk is damaged that cost no pixel, or not known although it should be.
  private(set) var hasFlaw = false

  /// Table 8.
  enum ColorType: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    var bitDepths: Set<UInt8> {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }
  }

  /// Clause 5.2.
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  /// Walks over `bytes`.
  ///
  /// - Throws: `truncated` or `corrupt` where the header is not there or breaks the rules, `unsupported-feature` for what
  ///   only looks like PNG.
  init(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count >= Self.signature.count else { throw Self.truncatedHeader }
    guard bytes.starts(with: Self.signature) else {
      throw PipelineError(.decode, .corrupt, "the file does not start like a PNG")
    }
    size = PixelSize(width: 0, height: 0)
    var walk = PNGChunks(bytes)
    guard let first = walk.next() else { throw Self.truncatedHeader }
    try readHeader(first)
    var sawPixels = false
    while let chunk = walk.next() {
      switch chunk.type {
      case "IDAT":
        sawPixels = true
        pixelByteCount += chunk.data.count
        pixelChunkCount += 1
      case "IEND":
        isWhole = true
        return
      case "eXIf": read(chunk) { $0.orientation = EXIF.orientation(of: chunk.data) ?? .up }
      case "PLTE": break
      // A critical chunk (5.4) that nobody knows: what it says of the pixels is not heeded.
      case _ where chunk.isCritical: hasFlaw = true
      case _ where sawPixels: break
      case "tRNS": hasTransparencyChunk = true
      case "iCCP": profileByteCount = chunk.data.count
      case "acTL": read(chunk, atLeast: 8) { $0.frames = max(Int(chunk.data.bigEndian32(at: 0)), 1) }
      case "cICP", "sRGB", "gAMA", "cHRM":
        if !chunk.hasRightChecksum || !color.read(chunk.type, chunk.data) { hasFlaw = true }
      default: break
      }
    }
  }

  /// Whether pixels may be transparent.
  var hasAlpha: Bool { colorType == .grayAlpha || colorType == .rgba || hasTransparencyChunk }

  /// The layout that the pixels have after expansion.
  var layout: PixelLayout {
    switch colorType {
    case .gray, .grayAlpha: hasAlpha ? .grayAlpha : .gray
    case .rgb, .palette, .rgba: hasAlpha ? .rgba : .rgb
    }
  }

  /// The size of an expanded sample.
  var depth: SampleDepth { bitDepth == 16 ? .sixteen : .eight }

  private mutating func readHeader(_ chunk: PNGChunks.Chunk) throws {
    if chunk.type == "CgBI" {
      throw PipelineError(.decode, .unsupportedFeature, "an Apple variant of PNG (CgBI), which only Xcode makes")
    }
    guard chunk.type == "IHDR", chunk.data.count == 13 else {
      throw PipelineError(.decode, .corrupt, "the PNG does not start with its header IHDR")
    }
    guard chunk.hasRightChecksum else {
      throw PipelineError(.decode, .corrupt, "the PNG's header has a wrong checksum")
    }
    let (width, height) = (chunk.data.bigEndian32(at: 0), chunk.data.bigEndian32(at: 4))
    guard (1...0x7fff_ffff).contains(width), (1...0x7fff_ffff).contains(height) else {
      throw PipelineError(.decode, .corrupt, "the PNG has an impossible size of \(width)×\(height)")
    }
    size = PixelSize(width: Int(width), height: Int(height))
    guard let type = ColorType(rawValue: chunk.data[9]), type.bitDepths.contains(chunk.data[8]) else {
      throw PipelineError(
        .decode, .corrupt, "the PNG has an impossible colour type \(chunk.data[9]) of \(chunk.data[8]) bits")
    }
    guard chunk.data[10] == 0, chunk.data[11] == 0, chunk.data[12] <= 1 else {
      throw PipelineError(
        .decode, .corrupt, "the PNG's compression, filter or interlace method is not one that is defined")
    }
    colorType = type
    bitDepth = Int(chunk.data[8])
    isInterlaced = chunk.data[12] == 1
  }

  /// Reads an ancillary chunk, of at least so many bytes, unless it is damaged.
  private mutating func read(
    _ chunk: PNGChunks.Chunk, atLeast count: Int = 0, _ body: (inout PNGContainer) -> Void
  ) {
    guard chunk.data.count >= count, chunk.hasRightChecksum else {
      hasFlaw = true
      return
    }
    body(&self)
  }

  private static let truncatedHeader = PipelineError(.decode, .truncated, "the PNG ends before its header does")
}
