import FetchPipeline

/// What a PNG's chunks say without a pixel being decoded: walks their headers and looks into the few that matter (PNG,
/// third edition, 5.3 and 11).
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  let size: PixelSize
  let bitDepth: Int
  let colorType: Int
  let isInterlaced: Bool
  private(set) var hasTransparencyChunk = false
  private(set) var orientation: Orientation?
  /// The frames that an animation announces.
  private(set) var frames = 1

  init(_ bytes: UnsafeRawBufferPointer) throws {
    func long(_ at: Int) -> Int { Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))) }
    guard bytes.count >= 33, long(8) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
      throw PipelineError(
        .decode, bytes.count < 33 ? .truncated : .corrupt, "the PNG does not begin with its header")
    }
    size = PixelSize(width: long(16), height: long(20))
    bitDepth = Int(bytes[24])
    colorType = Int(bytes[25])
    isInterlaced = bytes[28] == 1
    guard size.width > 0, size.height > 0 else {
      throw PipelineError(.decode, .corrupt, "the PNG is \(size)")
    }
    var at = 33
    while at <= bytes.count - 12 {
      let length = long(at)
      let content = at + 8
      guard length <= bytes.count - content else { break }
      let type = String(decoding: bytes[(at + 4)..<content], as: UTF8.self)
      switch type {
      case "tRNS": hasTransparencyChunk = true
      case "acTL" where length == 8: frames = max(long(content), 1)
      case "eXIf" where orientation == nil:
        orientation = EXIF.orientation(of: UnsafeRawBufferPointer(rebasing: bytes[content..<(content + length)]))
      case "IEND": return
      default: break
      }
      at = content + length + 4
    }
  }

  /// The layout of decoded rows: palettes are expanded, transparency becomes alpha.
  var layout: PixelLayout {
    switch colorType {
    case 0: hasTransparencyChunk ? .grayAlpha : .gray
    case 4: .grayAlpha
    case 6: .rgba
    default: hasTransparencyChunk ? .rgba : .rgb
    }
  }

  /// The size of decoded samples.
  var depth: SampleDepth { bitDepth == 16 ? .sixteen : .eight }
}
