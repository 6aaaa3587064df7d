/// Joins equal work: the first to ask for a key does it, those who come meanwhile wait for what it finds.
final class Coalescer<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
  /// What to do.
  enum Role: Sendable {
    /// Do the work, then call `finish`, whatever happens.
    case lead
    /// Another one did it.
    case follow(Outcome)
  }

  private let waiting = Lock<[Key: [CheckedContinuation<Role, Never>]]>([:])

  /// Joins the work for `key` or starts it, in one step; returns when it is this one's to do, or done by another.
  ///
  /// The wait is as long as the work of the one who leads, which has a deadline of its own.
  func join(_ key: Key) async -> Role {
    await withCheckedContinuation { continuation in
      let leads = waiting.withLock { waiting in
        guard waiting[key] != nil else {
          waiting[key] = []
          return true
        }
        waiting[key]?.append(continuation)
        return false
      }
      if leads { continuation.resume(returning: .lead) }
    }
  }

  /// Ends the work for `key` and tells those who wait.
  func finish(_ key: Key, _ outcome: Outcome) {
    let waiters = waiting.withLock { $0.removeValue(forKey: key) } ?? []
    for waiter in waiters { waiter.resume(returning: .follow(outcome)) }
  }
}
