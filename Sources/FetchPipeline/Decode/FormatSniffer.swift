/// Words the error for bytes that no decoder takes: what they are, how they were announced, how they begin.
package enum FormatSniffer {
  /// What something is by its first bytes, as people call it; nil for text, JSON and what is not known.
  package static func kind(of bytes: [UInt8]) -> String? {
    let prefix = Array(bytes.prefix(512))
    if prefix.isEmpty { return nil }
    switch FileKind(prefix) {
    case .picture(let name): return "a picture (\(name))"
    case .other(let kind): return ["text", "JSON", "no kind of file that is known here"].contains(kind) ? nil : kind
    }
  }

  /// Whether the first bytes hold what no text does.
  package static func isBinary(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(512).contains { $0 < 0x09 || (0x0e..<0x1b).contains($0) || (0x1c..<0x20).contains($0) || $0 == 0x7f }
  }

  /// `unsupported-format` for a picture, `not-an-image` for anything else.
  ///
  /// - Parameters:
  ///   - bytes: the file, or its beginning.
  ///   - length: the bytes of the whole file; nil where that is not known.
  static func error(for bytes: SharedBytes, contentType: String?, length: Int?) -> PipelineError {
    let prefix = bytes.prefix(512).array()
    var details = length.map { "\($0) bytes" } ?? "length unknown"
    if let contentType { details += ", Content-Type \(escaped(contentType.utf8.prefix(100)))" }
    if !prefix.isEmpty { details += ", starting with \(excerpt(of: prefix))" }
    return switch FileKind(prefix) {
    case .picture(let name):
      PipelineError(.decode, .unsupportedFormat, "\(name) is not a format that is decoded here (\(details))")
    case .other(let kind):
      PipelineError(.decode, .notAnImage, "\(kind) (\(details))")
    }
  }

  /// The first bytes, readable: text in quotes, anything else in hexadecimal.
  static func excerpt(of bytes: some Sequence<UInt8>) -> String {
    let prefix = Array(bytes.prefix(40))
    let isText = prefix.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
    if isText { return "\"\(escaped(prefix))\"" }
    return prefix.prefix(16).map(hexadecimal).joined(separator: " ")
  }

  /// ASCII, with what a terminal or a log could take for more than text escaped.
  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      switch byte {
      case 0x0a: text += "\\n"
      case 0x0d: text += "\\r"
      case 0x09: text += "\\t"
      case 0x20...0x7e: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x\(hexadecimal(byte))"
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
