/// What a request asks for, with the body that goes with it: a GET cannot carry one.
public enum HTTPMethod: Sendable, Hashable {
  /// Asks for the resource.
  case get
  /// Asks for the head of the answer to a GET.
  case head
  /// Hands a body to the resource for processing.
  case post(HTTPRequestBody)
  /// Replaces the resource.
  case put(HTTPRequestBody)
  /// Changes the resource.
  case patch(HTTPRequestBody)
  /// Removes the resource.
  case delete

  /// The method of that name, upper case; nil where there is none, or where it does not go with `body`.
  public init?(name: String, body: HTTPRequestBody?) {
    switch (name, body) {
    case ("GET", nil): self = .get
    case ("HEAD", nil): self = .head
    case ("DELETE", nil): self = .delete
    case ("POST", let body): self = .post(body ?? .empty)
    case ("PUT", let body): self = .put(body ?? .empty)
    case ("PATCH", let body): self = .patch(body ?? .empty)
    default: return nil
    }
  }

  /// The name, as sent.
  public var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    }
  }

  /// The body, where there is one.
  public var body: HTTPRequestBody? {
    switch self {
    case .get, .head, .delete: nil
    case .post(let body), .put(let body), .patch(let body): body
    }
  }

  /// Whether sending the request twice has the effect of sending it once (RFC 9110, section 9.2.2).
  public var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete: true
    case .post, .patch: false
    }
  }
}

/// The body of a request and its media type.
public struct HTTPRequestBody: Sendable, Hashable {
  /// The bytes.
  public let bytes: SharedBytes
  /// The value of Content-Type, where it is known.
  public let contentType: String?

  /// A body of `bytes`.
  public init(_ bytes: SharedBytes, contentType: String? = nil) {
    self.bytes = bytes
    self.contentType = contentType
  }

  /// A body without bytes.
  public static let empty = HTTPRequestBody(SharedBytes.empty)

  /// Hashes the bytes and the type.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(contentType)
  }
}
