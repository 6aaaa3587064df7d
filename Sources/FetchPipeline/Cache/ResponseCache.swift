/// A store of responses: a tier of the HTTP cache.
///
/// What a stored answer may be used for is not decided here: the engine does, from the stored head, the request and the
/// time.
public protocol ResponseCache: Sendable {
  /// What is stored for `key`, held against removal while the snapshot lives; nil where there is nothing, or nothing
  /// readable.
  func snapshot(for key: ResourceKey) async throws -> (any CacheSnapshot)?

  /// Starts to store an answer under `key`; nil where the tier cannot (full, read-only, or being written by another).
  func edit(_ key: ResourceKey) async throws -> (any CacheEditor)?

  /// Removes what is stored for `key`.
  func remove(_ key: ResourceKey) async throws

  /// Writes everything and gives up files and memory. Nothing is called afterwards.
  func shutdown() async
}

/// A stored answer, which cannot change or go away while this value lives.
public protocol CacheSnapshot: Sendable {
  /// The stored head.
  var head: StoredResponseHead { get }
  /// The stored bytes.
  func body() async throws -> SharedBytes
}

/// An answer that is being stored: either committed as a whole, or not there at all.
public protocol CacheEditor: Sendable {
  /// Adds bytes to the body.
  func append(_ bytes: SharedBytes) async throws
  /// Makes the answer visible, in place of an older one.
  func commit(_ head: StoredResponseHead) async throws
  /// Drops what was written. Called at the latest when the answer turns out to be incomplete.
  func discard() async
}

/// The head of a stored answer and when it was asked for and received, in seconds since 1970 (RFC 9111, section 4.2.3).
public struct StoredResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields, as received and as updated by later validations.
  public var headers: HTTPFields
  /// The URL that answered.
  public var url: ResourceURL
  /// When the request was sent.
  public var requestTime: Double
  /// When the head was received.
  public var responseTime: Double

  /// A stored head.
  public init(status: Int, headers: HTTPFields, url: ResourceURL, requestTime: Double, responseTime: Double) {
    self.status = status
    self.headers = headers
    self.url = url
    self.requestTime = requestTime
    self.responseTime = responseTime
  }
}
