/// A request as it goes to a transport: one hop.
public struct HTTPRequest: Sendable {
  /// What is asked for, with its body.
  public var method: HTTPMethod
  /// Where.
  public var url: ResourceURL
  /// The header fields, but for those that the transport adds (Host, Content-Length, Connection).
  public var headers: HTTPFields
  /// The longest that one attempt may take, waiting for a connection excluded.
  public var timeout: Duration
  /// How caches are used.
  public var cache: CacheMode

  /// A request of `method` for `url`.
  public init(
    _ method: HTTPMethod = .get, _ url: ResourceURL, headers: HTTPFields = [:], timeout: Duration = .seconds(30),
    cache: CacheMode = .default
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.timeout = timeout
    self.cache = cache
  }
}

/// How a request uses caches, in the words of the Fetch standard (section 2.2.5, "cache mode").
public enum CacheMode: String, Sendable, Hashable, CaseIterable {
  /// By the rules of RFC 9111.
  case `default`
  /// Neither read from caches nor written to them.
  case noStore = "no-store"
  /// Fetched anew, then stored.
  case reload
  /// Always revalidated.
  case noCache = "no-cache"
  /// Any stored answer, however stale; else the network.
  case forceCache = "force-cache"
  /// Any stored answer; else `not-cached`.
  case onlyIfCached = "only-if-cached"
}
