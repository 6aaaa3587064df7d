/// Joins equal work of several tasks: it is done once, for all who ask while it goes on, and ended when the last of them
/// has left.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let number: Int
    let task: Task<Value, any Error>
    var waiters = 1
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var last = 0
  }

  private let state = Lock(State())

  /// The result of the work for `key`: of that which goes on, or of `work`, in one step.
  func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let entry = state.withLock { state -> Entry in
      if var entry = state.entries[key] {
        entry.waiters += 1
        state.entries[key] = entry
        return entry
      }
      state.last += 1
      let number = state.last
      let entry = Entry(
        number: number,
        task: Task {
          defer { self.end(key, number) }
          return try await work()
        })
      state.entries[key] = entry
      return entry
    }
    return try await withTaskCancellationHandler {
      try await entry.task.value
    } onCancel: {
      leave(key, entry.number)
    }
  }

  private func leave(_ key: Key, _ number: Int) {
    let task = state.withLock { state -> Task<Value, any Error>? in
      guard var entry = state.entries[key], entry.number == number else { return nil }
      entry.waiters -= 1
      // Nobody may join what is about to be ended.
      state.entries[key] = entry.waiters > 0 ? entry : nil
      return entry.waiters > 0 ? nil : entry.task
    }
    task?.cancel()
  }

  private func end(_ key: Key, _ number: Int) {
    state.withLock { state in
      if state.entries[key]?.number == number { state.entries[key] = nil }
    }
  }
}
