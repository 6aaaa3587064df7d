/// The whole answer to a request: what `HTTPClient` gives.
///
/// (`HTTPResponse` is one whose body may still be on its way: what transports and middleware hand on.)
public struct ReceivedResponse: Sendable {
  /// The status code (RFC 9110, section 15).
  public var status: Int
  /// The header fields, as received, or as stored where the answer comes from a cache.
  public var headers: HTTPFields
  /// The URL that answered, redirects followed.
  public var url: ResourceURL
  /// The body, unwrapped where it came compressed. Of an answer outside 200…299 with more than 64 KiB there is none.
  public var body: SharedBytes
  /// Whether the body had no other end than that of its connection, so that nobody can tell whether it is whole (RFC 9112,
  /// section 6.3, case 8).
  public var isCloseDelimited: Bool
  /// How it came: attempts, and what the cache did; nil where a middleware has answered.
  public var exchange: ExchangeDescription?

  /// An answer.
  public init(
    status: Int, headers: HTTPFields, url: ResourceURL, body: SharedBytes, isCloseDelimited: Bool = false,
    exchange: ExchangeDescription? = nil
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
    self.isCloseDelimited = isCloseDelimited
    self.exchange = exchange
  }

  /// Whether the status says that what was asked for was done: 200…299.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// The body as text: UTF-8, with U+FFFD for what is none.
  public var text: String { body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
