/// What bytes that no decoder takes are, by their beginning.
enum FileKind: Equatable {
  /// A picture of a format that is not decoded here.
  case picture(String)
  /// No picture.
  case other(String)

  /// Looks at the beginning of a file; 512 bytes are enough.
  init(_ bytes: [UInt8]) {
    self =
      Self.signatures.first { signature in
        bytes.count >= signature.offset + signature.bytes.count
          && bytes[signature.offset..<(signature.offset + signature.bytes.count)].elementsEqual(signature.bytes)
      }?.kind ?? Self.container(bytes) ?? Self.text(bytes)
  }

  private struct Signature {
    let bytes: [UInt8]
    let offset: Int
    let kind: FileKind

    init(_ text: String, at offset: Int = 0, _ kind: FileKind) {
      self.init(Array(text.utf8), at: offset, kind)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ kind: FileKind) {
      self.bytes = bytes
      self.offset = offset
      self.kind = kind
    }
  }

  private static let signatures: [Signature] = [
    Signature("GIF8", .picture("GIF")), Signature([0xff, 0xd8, 0xff], .picture("JPEG")),
    Signature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .picture("PNG")),
    Signature([0x8a, 0x4d, 0x4e, 0x47], .picture("MNG")), Signature([0x8b, 0x4a, 0x4e, 0x47], .picture("JNG")),
    Signature([0x49, 0x49, 0x2a, 0], .picture("TIFF")), Signature([0x4d, 0x4d, 0, 0x2a], .picture("TIFF")),
    Signature([0x49, 0x49, 0x2b, 0], .picture("BigTIFF")), Signature([0x4d, 0x4d, 0, 0x2b], .picture("BigTIFF")),
    Signature([0x49, 0x49, 0xbc, 1], .picture("JPEG XR")), Signature([0xff, 0x0a], .picture("JPEG XL")),
    Signature([0, 0, 0, 0x0c] + Array("JXL \r\n".utf8), .picture("JPEG XL")),
    Signature([0, 0, 0, 0x0c] + Array("jP  \r\n".utf8), .picture("JPEG 2000")),
    Signature([0xff, 0x4f, 0xff, 0x51], .picture("JPEG 2000")), Signature("8BPS", .picture("Photoshop")),
    Signature("qoif", .picture("QOI")), Signature("gimp xcf", .picture("XCF")),
    Signature([0x76, 0x2f, 0x31, 0x01], .picture("OpenEXR")), Signature("#?RADIANCE", .picture("Radiance HDR")),
    Signature("WEBP", at: 8, .picture("WebP")), Signature("AVI ", at: 8, .other("a video")),
    Signature("WAVE", at: 8, .other("a sound")), Signature([0x1f, 0x8b], .other("gzip data")),
    Signature([0x28, 0xb5, 0x2f, 0xfd], .other("Zstandard data")),
    Signature([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], .other("xz data")), Signature("BZh", .other("bzip2 data")),
    Signature([0x50, 0x4b, 3, 4], .other("a zip archive")), Signature([0x50, 0x4b, 5, 6], .other("a zip archive")),
    Signature([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], .other("a 7z archive")),
    Signature("Rar!\u{1a}\u{07}", .other("a RAR archive")), Signature("%PDF-", .other("a PDF document")),
    Signature("%!PS", .other("a PostScript document")),
    Signature([0x1a, 0x45, 0xdf, 0xa3], .other("a Matroska or WebM video")), Signature("OggS", .other("an Ogg file")),
    Signature("ID3", .other("a sound")), Signature("fLaC", .other("a sound")),
    Signature([0x7f, 0x45, 0x4c, 0x46], .other("a program")), Signature("SQLite format 3", .other("a database")),
    Signature([0, 0x61, 0x73, 0x6d], .other("a WebAssembly module")),
    Signature("wOFF", .other("a font")), Signature("wOF2", .other("a font")),
  ]

  /// Formats that need more than a comparison.
  private static func container(_ bytes: [UInt8]) -> FileKind? {
    // A bitmap's header has its own size, one of a few, behind the file's (BITMAPFILEHEADER, BITMAPINFOHEADER).
    if bytes.starts(with: Array("BM".utf8)), bytes.count >= 18,
      [12, 16, 40, 52, 56, 64, 108, 124].contains(bytes[14]), bytes[15...17].allSatisfy({ $0 == 0 })
    {
      return .picture("BMP")
    }
    // Icons and cursors: the number of pictures follows, and each has 16 bytes.
    if bytes.count >= 22, bytes.starts(with: [0, 0]), bytes[2] == 1 || bytes[2] == 2, bytes[3] == 0, bytes[4] > 0,
      bytes[9] == 0
    {
      return .picture("ICO")
    }
    guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    // The brand, then those that the file is compatible with (ISO/IEC 14496-12, 4.3).
    let length = min(Int(bytes[2]) << 8 | Int(bytes[3]), bytes.count)
    let brands = ([8] + stride(from: 16, to: max(length - 3, 16), by: 4)).map {
      String(decoding: bytes[$0..<($0 + 4)], as: UTF8.self)
    }
    if brands.contains(where: ["avif", "avis"].contains) { return .picture("AVIF") }
    if brands.contains(where: ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains) {
      return .picture("HEIC")
    }
    return .other("a video or audio file")
  }

  private static func text(_ bytes: [UInt8]) -> FileKind {
    if bytes.isEmpty { return .other("an empty body") }
    var content = bytes[...]
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      content = bytes.dropFirst(3)
    } else if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      // UTF-16: what matters here is ASCII.
      let isLittleEndian = bytes[0] == 0xff
      content = bytes.indices.dropFirst(2).filter { $0 % 2 == (isLittleEndian ? 0 : 1) }.map { bytes[$0] }[...]
    }
    guard content.allSatisfy({ $0 >= 0x20 || (0x09...0x0d).contains($0) || $0 == 0x1b }) else {
      return .other("no kind of file that is known here")
    }
    let head = String(decoding: content.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }, as: UTF8.self).lowercased()
    if head.isEmpty { return .other("nothing but space") }
    let pages = ["<!doctype html", "<html", "<head", "<body", "<script", "<title", "<h1", "<div", "<meta"]
    if pages.contains(where: head.hasPrefix) { return .other("an HTML page") }
    if head.hasPrefix("<") {
      // A page or a drawing may follow a declaration and comments.
      if head.contains("<svg") { return head.contains("<html") ? .other("an HTML page") : .picture("SVG") }
      if head.contains("<!doctype html") || head.contains("<html") { return .other("an HTML page") }
      return .other("an XML document")
    }
    if head.hasPrefix("{") || head.hasPrefix("[") { return .other("JSON") }
    return .other("text")
  }
}
