import FetchPipeline

/// A tier in memory: answers that were used longest ago go first when it is full.
///
/// Bodies are shared, not copied. What a snapshot holds stays readable after it has left the cache.
public final class MemoryCache: MaintainableCache {
  /// The most bytes: bodies and heads.
  public let capacity: Int

  private struct Entry {
    /// Tells apart what is stored under one key one after the other.
    var generation: Int
    var head: StoredResponseHead
    var body: SharedBytes
  }

  private struct State {
    var entries: LeastRecentlyUsed<ResourceKey, Entry>
    var generations = 0
  }

  private let state: Lock<State>
  private let now: @Sendable () -> Double
  /// What bodies are charged to that are kept here, in place of the run's budget: the capacity bounds them.
  private let account = Account()

  private final class Account: Sendable {}

  /// A cache of at most `capacity` bytes.
  public convenience init(capacity: Int = ByteCount.mebibytes(50).bytes) {
    self.init(capacity: capacity, now: { WallClock.now })
  }

  init(capacity: Int, now: @escaping @Sendable () -> Double) {
    self.capacity = capacity
    self.now = now
    state = Lock(State(entries: LeastRecentlyUsed(capacity: capacity)))
  }

  /// What is stored, without copying it.
  public func snapshot(for key: ResourceKey) -> (any CacheSnapshot)? {
    state.withLock { $0.entries.use(key) }.map {
      Snapshot(cache: self, key: key, generation: $0.generation, head: $0.head, bytes: $0.body)
    }
  }

  /// Starts to store an answer.
  public func edit(_ key: ResourceKey) -> (any CacheEditor)? {
    Editor(cache: self, key: key)
  }

  /// Removes what is stored.
  public func remove(_ key: ResourceKey) {
    // Freed when the lock is no longer held.
    _ = state.withLock { $0.entries.remove(key) }
  }

  /// Gives up the memory.
  public func shutdown() {
    let old = state.withLock { state in
      defer { state.entries.removeAll() }
      return state.entries
    }
    _ = old
  }

  /// What is in it.
  public func statistics() -> CacheStatistics {
    let now = now()
    return state.withLock { state in
      CacheStatistics(
        place: "memory", entries: state.entries.count,
        freshEntries: state.entries.values.count(where: { CachePolicy().isFresh($0.head, now: now) }),
        bytes: state.entries.cost, capacity: capacity)
    }
  }

  /// There is never anything of no use in it.
  public func prune() -> CacheRemoval { CacheRemoval() }

  /// Removes everything.
  public func clear() -> CacheRemoval {
    let old = state.withLock { state in
      defer { state.entries.removeAll() }
      return state.entries
    }
    return CacheRemoval(entries: old.count, bytes: old.cost)
  }

  private func store(_ head: StoredResponseHead, _ body: SharedBytes, for key: ResourceKey) {
    let cost = body.count + head.approximateSize
    // Nothing is charged here that is not kept here.
    if cost <= capacity { body.charge(to: account) }
    _ = state.withLock { state in
      state.generations += 1
      return state.entries.set(key, Entry(generation: state.generations, head: head, body: body), cost: cost)
    }
  }

  private func update(_ key: ResourceKey, _ generation: Int, to head: StoredResponseHead) {
    state.withLock { state in
      state.entries.update(key) { if $0.generation == generation { $0.head = head } }
    }
  }

  private struct Snapshot: CacheSnapshot {
    let cache: MemoryCache
    let key: ResourceKey
    let generation: Int
    let head: StoredResponseHead
    let bytes: SharedBytes

    var byteCount: Int { bytes.count }

    func body(chargedTo memory: (any BodyMemory)?) -> SharedBytes { bytes }

    func update(_ head: StoredResponseHead) { cache.update(key, generation, to: head) }
  }

  private final class Editor: CacheEditor {
    private let cache: MemoryCache
    private let key: ResourceKey
    private let body = Lock(BodyParts())

    init(cache: MemoryCache, key: ResourceKey) {
      self.cache = cache
      self.key = key
    }

    func append(_ bytes: SharedBytes) { body.withLock { $0.append(bytes) } }

    func commit(_ head: StoredResponseHead) {
      let body = body.withLock { $0 }
      guard body.isWhole(by: head) else { return }
      cache.store(head, body.joined, for: key)
    }

    func discard() { body.withLock { $0 = BodyParts() } }
  }
}

extension StoredResponseHead {
  /// About the bytes that it takes in memory.
  fileprivate var approximateSize: Int {
    headers.reduce(256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
  }
}
