/// Tells from its first bytes what something is that no decoder takes, so that the error can name it.
package enum FormatSniffer {
  /// What something is by its first bytes, as people call it; nil for text, JSON and what is not known.
  package static func kind(of bytes: [UInt8]) -> String? {
    let prefix = Array(bytes.prefix(512))
    if let format = pictureFormat(prefix) { return "a picture (\(format))" }
    if prefix.isEmpty { return nil }
    let kind = otherKind(prefix)
    return ["text", "JSON", "no picture that is known here"].contains(kind) ? nil : kind
  }

  /// Whether the first bytes hold what no text does.
  package static func isBinary(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(512).contains { $0 < 0x09 || (0x0e..<0x1b).contains($0) || (0x1c..<0x20).contains($0) || $0 == 0x7f }
  }

  /// The error for bytes that no decoder takes.
  static func error(for bytes: SharedBytes, contentType: String?) -> PipelineError {
    let prefix = bytes.prefix(512).array()
    var details = "\(bytes.count) bytes"
    if let contentType { details += ", Content-Type \(contentType.prefix(100))" }
    if !prefix.isEmpty { details += ", starting with \(excerpt(of: prefix))" }
    if let picture = pictureFormat(prefix) {
      return PipelineError(.decode, .unsupportedFormat, "\(picture) is not a format that is decoded here (\(details))")
    }
    return PipelineError(.decode, .notAnImage, "\(otherKind(prefix)) (\(details))")
  }

  /// The first bytes, readable: text in quotes, anything else in hexadecimal.
  static func excerpt(of bytes: some Sequence<UInt8>) -> String {
    let prefix = bytes.prefix(40)
    let isText = prefix.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
    if isText {
      let text = String(decoding: prefix.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
      return "\"\(text)\""
    }
    return prefix.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  /// Pictures that are not decoded by the built-in stages, by their signatures.
  private static func pictureFormat(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: Array("GIF8".utf8)) { return "GIF" }
    if bytes.starts(with: Array("BM".utf8)), bytes.count >= 26 { return "BMP" }
    if bytes.starts(with: [0x49, 0x49, 0x2a, 0x00]) || bytes.starts(with: [0x4d, 0x4d, 0x00, 0x2a]) { return "TIFF" }
    if bytes.starts(with: [0xff, 0x0a]) || bytes.starts(with: [0, 0, 0, 0x0c] + Array("JXL ".utf8)) {
      return "JPEG XL"
    }
    if bytes.starts(with: [0, 0, 0, 0x0c] + Array("jP  ".utf8)) { return "JPEG 2000" }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return "JPEG" }
    if bytes.starts(with: [0x89] + Array("PNG".utf8)) { return "PNG" }
    if bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
      return "WebP"
    }
    if bytes.starts(with: [0, 0, 1, 0]), bytes.count >= 22 { return "ICO" }
    guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else {
      let head = text(bytes)
      return head.contains("<svg") ? "SVG" : nil
    }
    let brand = String(decoding: bytes[8..<12], as: UTF8.self)
    if ["avif", "avis"].contains(brand) { return "AVIF" }
    if ["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"].contains(brand) { return "HEIC" }
    return nil
  }

  private static func otherKind(_ bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "an empty body" }
    if bytes.starts(with: [0x1f, 0x8b]) { return "gzip data" }
    if bytes.starts(with: [0x50, 0x4b, 3, 4]) { return "a zip archive" }
    if bytes.starts(with: Array("%PDF".utf8)) { return "a PDF document" }
    if bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) { return "a video or audio file" }
    let head = text(bytes)
    if head.hasPrefix("<!doctype html") || head.hasPrefix("<html") || head.contains("<head") || head.contains("<body") {
      return "an HTML page"
    }
    if head.hasPrefix("<?xml") || head.hasPrefix("<") { return "an XML document" }
    if head.hasPrefix("{") || head.hasPrefix("[") { return "JSON" }
    if head.utf8.count == bytes.count, bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0d).contains($0) }) { return "text" }
    return "no picture that is known here"
  }

  /// The bytes as lower-case text, without a byte order mark and leading space.
  private static func text(_ bytes: [UInt8]) -> String {
    let withoutMark = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    return String(decoding: withoutMark.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }, as: UTF8.self).lowercased()
  }
}
