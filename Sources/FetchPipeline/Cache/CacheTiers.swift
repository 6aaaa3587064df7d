/// The tiers of a cache, in look-up order, as one that never fails: an item does not fail because a disk does.
///
/// A tier that throws counts as empty for that call. The first error of each is told to `warn`; one that goes on failing
/// is left alone.
public final class CacheTiers: Sendable {
  /// A stored answer that a look-up has found.
  public struct Answer: Sendable {
    /// The stored head, with what updates have made of it.
    public internal(set) var head: StoredResponseHead
    fileprivate let request: HTTPRequest
    fileprivate let snapshot: any CacheSnapshot
    fileprivate let tier: Int

    /// The bytes of the body.
    public var byteCount: Int { snapshot.byteCount }
  }

  private let tiers: [any ResponseCache]
  private let health: Lock<[Health]>
  private let warn: @Sendable (String) -> Void

  private struct Health {
    var failures = 0
    var isReported = false
  }

  /// So many failures in a row, and a tier is not asked any more.
  private static let mostFailures = 16

  /// A cache of `tiers`.
  ///
  /// - Parameter warn: is told, in a sentence, when a tier fails for the first time.
  public init(_ tiers: [any ResponseCache], warn: @escaping @Sendable (String) -> Void = { _ in }) {
    self.tiers = tiers
    self.warn = warn
    health = Lock(Array(repeating: Health(), count: tiers.count))
  }

  /// Whether there is no tier at all.
  public var isEmpty: Bool { tiers.isEmpty }

  /// The tiers that people can look into and tidy up.
  public var maintainable: [any MaintainableCache] { tiers.compactMap { $0 as? any MaintainableCache } }

  /// What the first tier that has something has stored for a request.
  public func lookUp(_ request: HTTPRequest) async -> Answer? {
    for (index, tier) in tiers.enumerated() {
      let found = await attempt(index) { try await tier.snapshot(for: tier.key(for: request)) } ?? nil
      if let found { return Answer(head: found.head, request: request, snapshot: found, tier: index) }
    }
    return nil
  }

  /// The body of a stored answer, which is copied to the tiers above the one that has it; nil where it cannot be read,
  /// and then it is removed: the request is to be sent as if nothing had been stored.
  ///
  /// - Parameter memory: what bytes that are read are charged to, before they are.
  /// - Throws: what `memory` throws, and `CancellationError`.
  public func body(of answer: Answer, chargedTo memory: (any BodyMemory)? = nil) async throws -> SharedBytes? {
    let account = memory.map(RecordingMemory.init)
    let bytes: SharedBytes? = await attempt(answer.tier) { try await answer.snapshot.body(chargedTo: account) }
    if let refusal = account?.refusal { throw refusal }
    try Task.checkCancellation()
    guard let bytes else {
      await remove(answer.request)
      return nil
    }
    for index in 0..<answer.tier { await store(answer.head, bytes, for: answer.request, in: index) }
    return bytes
  }

  /// Puts the head that `CachePolicy.update` gave in the place of the stored one, in every tier that has this answer.
  public func update(_ answer: Answer, to head: StoredResponseHead) async -> Answer {
    await attempt(answer.tier) { try await answer.snapshot.update(head) }
    for index in tiers.indices where index > answer.tier {
      let tier = tiers[index]
      await attempt(index) {
        guard let below = try await tier.snapshot(for: tier.key(for: answer.request)), below.head == answer.head else {
          return
        }
        try await below.update(head)
      }
    }
    var updated = answer
    updated.head = head
    return updated
  }

  /// Stores a whole answer, under the head that `CachePolicy.storage` gave, in every tier.
  public func store(_ head: StoredResponseHead, _ body: SharedBytes, for request: HTTPRequest) async {
    for index in tiers.indices { await store(head, body, for: request, in: index) }
  }

  /// Removes what is stored for a request.
  public func remove(_ request: HTTPRequest) async {
    for (index, tier) in tiers.enumerated() { await attempt(index) { try await tier.remove(tier.key(for: request)) } }
  }

  /// Writes everything and gives up files and memory. Nothing is called afterwards.
  public func shutdown() async {
    for tier in tiers { await tier.shutdown() }
  }

  private func store(_ head: StoredResponseHead, _ body: SharedBytes, for request: HTTPRequest, in index: Int) async {
    let tier = tiers[index]
    await attempt(index) {
      guard let editor = try await tier.edit(tier.key(for: request)) else { return }
      do {
        try await editor.append(body)
        try await editor.commit(head)
      } catch {
        await editor.discard()
        throw error
      }
    }
  }

  @discardableResult
  private func attempt<Value>(_ index: Int, _ body: () async throws -> Value) async -> Value? {
    guard health.withLock({ $0[index].failures < Self.mostFailures }) else { return nil }
    do {
      let value = try await body()
      health.withLock { $0[index].failures = 0 }
      return value
    } catch is CancellationError {
      return nil
    } catch is DamagedEntryError {
      return nil
    } catch {
      let isFirst = health.withLock { health in
        health[index].failures += 1
        defer { health[index].isReported = true }
        return !health[index].isReported
      }
      if isFirst { warn("the cache does not work, and the run goes on without what it cannot keep: \(error)") }
      return nil
    }
  }
}

/// Passes on what is charged, and remembers a refusal: that is not the tier's fault.
private final class RecordingMemory: BodyMemory {
  private let memory: any BodyMemory
  private let error = Lock<(any Error)?>(nil)

  init(_ memory: any BodyMemory) {
    self.memory = memory
  }

  var refusal: (any Error)? { error.withLock { $0 } }

  var mostBytes: Int { memory.mostBytes }

  func grow(to bytes: Int) async throws {
    do { try await memory.grow(to: bytes) } catch {
      self.error.withLock { $0 = error }
      throw CancellationError()
    }
  }

  func settle(at bytes: Int) { memory.settle(at: bytes) }
}
