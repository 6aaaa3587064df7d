/// The head of an answer as a cache keeps it: what came, when it was asked for and received, and what decides whether it
/// answers another request.
///
/// Times are in seconds since 1970.
public struct StoredResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields, as received and as updated by later validations.
  public var headers: HTTPFields
  /// The URL that answered.
  public var url: ResourceURL
  /// When the request was sent (RFC 9111, section 4.2.3: `request_time`).
  public var requestTime: Double
  /// When the head was received (`response_time`).
  public var responseTime: Double
  /// What stands for the request's values of the fields that Vary names; nil where it names none. Not the values
  /// themselves: they may be secrets.
  public var variant: Digest?
  /// Until when the redirects that led here may be followed from memory; nil where there was none.
  public var redirectsFreshUntil: Double?

  /// A head as it was received.
  public init(
    status: Int, headers: HTTPFields, url: ResourceURL, requestTime: Double, responseTime: Double,
    variant: Digest? = nil, redirectsFreshUntil: Double? = nil
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.variant = variant
    self.redirectsFreshUntil = redirectsFreshUntil
  }

  /// The head of an answer that has just come.
  public init(_ response: HTTPResponse, requestTime: Double, responseTime: Double) {
    self.init(
      status: response.status, headers: response.headers, url: response.url, requestTime: requestTime,
      responseTime: responseTime)
  }

  /// Whether a redirect led to it.
  public var isRedirected: Bool { redirectsFreshUntil != nil }

  /// The answer, with the body that was stored with it.
  public func response(with body: SharedBytes) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, url: url, body: HTTPBody(body))
  }
}
