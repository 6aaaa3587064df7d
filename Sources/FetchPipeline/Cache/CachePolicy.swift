/// The rules of a private HTTP cache (RFC 9111), without a store and without a clock: stored head, request and time go
/// in, what to do comes out.
///
/// - Look-up: `decision(for:stored:now:remaking:)`.
/// - An answer has come: `storage(of:to:redirects:)`; a 304 to a conditional request: `update(_:by:to:redirects:)`.
///
/// The cache is one user's: `private` answers and those to requests with Authorization are kept, since the credentials
/// are part of the key. Kept are answers to GET.
public struct CachePolicy: Sendable, Hashable {
  /// The share of the time since the last modification for which an answer without a lifetime of its own is fresh
  /// (RFC 9111, section 4.2.2, names 0.1).
  public var heuristicFraction = 0.1
  /// The longest lifetime that is guessed, in seconds: a day. It is also that of a permanent redirect without a lifetime
  /// of its own.
  public var longestHeuristic = 86_400.0
  /// How far the clock may have gone back since an answer was received before its age is no longer believed, in seconds.
  public var clockTolerance = 60.0

  /// The rules with their defaults.
  public init() {}

  /// Statuses that are kept without an explicit lifetime. RFC 9110, section 15.1, also allows 204, 206, 404, 405, 410,
  /// 414 and 501: an error is not believed longer than its origin asks for, and the others are of no use here.
  static let heuristicStatuses: Set<Int> = [200, 203, 300, 301, 308]

  /// Whether an answer of that status is a passing failure. None is kept, whatever its fields say: asking again is what
  /// retries and later runs are for.
  static func isTransient(_ status: Int) -> Bool {
    [408, 425, 429].contains(status) || (500..<600).contains(status)
  }

  /// Whether caches have a say in a request: a GET that is neither for a part nor conditional by its own fields (Fetch
  /// standard, "HTTP-network-or-cache fetch": those bypass the cache).
  static func concerns(_ request: HTTPRequest) -> Bool {
    guard case .get = request.method else { return false }
    return !request.headers.contains { field in ownConditions.contains { $0.equalsIgnoringASCIICase(field.name) } }
  }

  private static let ownConditions = [
    "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range",
  ]

  /// The request whose stored answer a request has made outdated: the GET of the same URL, after an unsafe method that
  /// succeeded (RFC 9111, section 4.4); nil where there is none.
  public func invalidated(by request: HTTPRequest, status: Int) -> HTTPRequest? {
    switch request.method {
    case .get, .head: return nil
    case .post, .put, .patch, .delete: break
    }
    guard (200..<400).contains(status) else { return nil }
    var get = request
    get.method = .get
    get.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    return get
  }
}
