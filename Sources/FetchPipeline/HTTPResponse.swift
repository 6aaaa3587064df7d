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
  /// Whether the body has no other end than that of its connection, so that nobody can tell whether it is whole (RFC
  /// 9112, section 6.3, case 8).
  public var isCloseDelimited: Bool

  /// An answer of `status` to a request for `url`.
  public init(
    status: Int, headers: HTTPFields, url: ResourceURL, body: HTTPBody, isCloseDelimited: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
    self.isCloseDelimited = isCloseDelimited
  }

  /// Content-Length, where it is there and a number.
  public var contentLength: Int? {
    guard let text = headers["Content-Length"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
