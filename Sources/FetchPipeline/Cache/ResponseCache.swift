/// A store of answers: a tier of the HTTP cache.
///
/// What a stored answer may be used for is not decided here: `CachePolicy` does, from the stored head, the request and
/// the time. Errors are the tier's own; `CacheTiers` turns them into "no cache".
public protocol ResponseCache: Sendable {
  /// The key under which the answer to a request is kept: what it asks for, so that requests with one key have one
  /// answer. By default all of the request but User-Agent.
  func key(for request: HTTPRequest) -> ResourceKey

  /// What is stored for `key`; nil where there is nothing, or nothing readable. Its body is there: an origin may be asked
  /// whether it still holds.
  func snapshot(for key: ResourceKey) async throws -> (any CacheSnapshot)?

  /// Starts to store an answer under `key`; nil where the tier does not take any.
  func edit(_ key: ResourceKey) async throws -> (any CacheEditor)?

  /// Removes what is stored for `key`.
  func remove(_ key: ResourceKey) async throws

  /// Writes everything and gives up files and memory. Nothing is called afterwards.
  func shutdown() async
}

extension ResponseCache {
  /// All of the request but User-Agent.
  public func key(for request: HTTPRequest) -> ResourceKey { ResourceKey(request) }
}

/// A stored answer, which cannot change or go away while this value lives.
public protocol CacheSnapshot: Sendable {
  /// The stored head.
  var head: StoredResponseHead { get }

  /// The bytes of the body.
  var byteCount: Int { get }

  /// The body.
  ///
  /// - Parameter memory: what bytes that are read for this call are charged to, first; nil for nothing.
  func body(chargedTo memory: (any BodyMemory)?) async throws -> SharedBytes

  /// Puts another head in the place of the stored one, unless something else has been stored since: what a 304 makes
  /// of it. The snapshot's own stays as it is.
  func update(_ head: StoredResponseHead) async throws
}

/// An answer that is being stored: either committed as a whole, or not there at all.
public protocol CacheEditor: Sendable {
  /// Adds bytes to the body. They may be kept until the end, and are shared, not copied.
  func append(_ bytes: SharedBytes) async throws
  /// Makes the answer visible, in place of an older one.
  func commit(_ head: StoredResponseHead) async throws
  /// Drops what was written. Called at the latest when the answer turns out to be incomplete.
  func discard() async
}

/// A tier that people can look into and tidy up.
public protocol MaintainableCache: ResponseCache {
  /// What is in it.
  func statistics() async throws -> CacheStatistics
  /// Removes what is of no use: what exceeds the capacity, what cannot be read, what dead programs have left.
  func prune() async throws -> CacheRemoval
  /// Removes everything.
  func clear() async throws -> CacheRemoval
}

/// What is stored is not what was stored: it counts as nothing, and says nothing of what else the tier has.
public struct DamagedEntryError: Error, Sendable {
  /// The error.
  public init() {}
}

/// What is in a tier.
public struct CacheStatistics: Sendable, Hashable {
  /// Where it is, for people: a folder, or "memory".
  public var place: String
  /// The answers.
  public var entries: Int
  /// Those among them that are fresh.
  public var freshEntries: Int
  /// The bytes that count towards the capacity.
  public var bytes: Int
  /// The most bytes.
  public var capacity: Int
  /// When the answer was last used for which that was longest ago, in seconds since 1970; nil where it is not known.
  public var oldestUse: Double?
  /// When an answer was used last, in seconds since 1970; nil where it is not known.
  public var newestUse: Double?

  /// What is in a tier.
  public init(
    place: String, entries: Int, freshEntries: Int, bytes: Int, capacity: Int, oldestUse: Double? = nil,
    newestUse: Double? = nil
  ) {
    self.place = place
    self.entries = entries
    self.freshEntries = freshEntries
    self.bytes = bytes
    self.capacity = capacity
    self.oldestUse = oldestUse
    self.newestUse = newestUse
  }
}

/// What was removed from a tier.
public struct CacheRemoval: Sendable, Hashable {
  /// The answers.
  public var entries: Int
  /// Their bytes, as far as they counted towards the capacity.
  public var bytes: Int
  /// Files that belonged to no answer.
  public var strayFiles: Int

  /// What was removed.
  public init(entries: Int = 0, bytes: Int = 0, strayFiles: Int = 0) {
    self.entries = entries
    self.bytes = bytes
    self.strayFiles = strayFiles
  }
}
