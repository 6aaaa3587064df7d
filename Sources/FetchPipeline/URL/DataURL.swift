/// A picture that is written out in a URL (RFC 2397).
public struct DataURL: Sendable, Hashable {
  /// The media type, as written; nil where it is left out.
  public let mediaType: String?
  /// The bytes.
  public let bytes: SharedBytes

  /// The data that `text` writes: `data:[type][;base64],…`.
  ///
  /// - Throws: `invalid-input` where it has no comma, or is not base64 where it says so.
  public init(_ text: some StringProtocol) throws {
    let text = Substring(text)
    guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")) else { throw Self.invalid("it has no comma") }
    var head = text[..<comma]
    guard head.utf8.count >= 5, head.prefix(5).lowercased() == "data:" else {
      throw Self.invalid("it does not begin so")
    }
    head = head.dropFirst(5)
    let isBase64 = head.lowercased().hasSuffix(";base64")
    if isBase64 { head = head.dropLast(7) }
    mediaType = head.isEmpty ? nil : String(head)
    let content = PercentEncoding.decode(text[text.utf8.index(after: comma)...].utf8)
    if isBase64 {
      guard let decoded = Base64.decode(content) else { throw Self.invalid("its base64 is damaged") }
      bytes = SharedBytes(decoded)
    } else {
      bytes = SharedBytes(content)
    }
  }

  /// The data of these bytes.
  public init(mediaType: String? = nil, bytes: SharedBytes) {
    self.mediaType = mediaType
    self.bytes = bytes
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  private static func invalid(_ reason: String) -> PipelineError {
    PipelineError(.input, .invalidInput, "the data: URL does not parse: \(reason)")
  }
}
