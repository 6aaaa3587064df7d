/// The answer to a request: its head, then its body as it comes.
public struct HTTPResponse: Sendable {
  /// The status code (RFC 9110, section 15).
  public var status: Int
  /// The header fields, as received.
  public var headers: HTTPFields
  /// The URL that was asked.
  public var url: ResourceURL
  /// The body. It must be read to its end or cancelled.
  public var body: HTTPBody
  /// Whether the message itself says where its body ends (by a length or by chunks), so that a body cut short is an
  /// error; one that ends with the connection cannot be told from a complete one (RFC 9112, section 6.3).
  public var isLengthDelimited: Bool

  /// An answer of `status` to a request for `url`.
  public init(status: Int, headers: HTTPFields, url: ResourceURL, body: HTTPBody, isLengthDelimited: Bool = true) {
    self.isLengthDelimited = isLengthDelimited
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
  }

  /// Content-Length, where it is there and a number.
  public var contentLength: Int? {
    guard let text = headers["Content-Length"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
