/// Ends the items that take too long, and all of them when the run has to end.
final class ItemDeadlines: Sendable {
  private struct Entry {
    var task: Task<Void, Never>?
    var deadline: ContinuousClock.Instant?
    var hasExpired = false
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var isCancelled = false
  }

  private let state = Lock(State())
  private let limit: Duration

  /// - Parameter limit: the most time for an item from its first activity.
  init(limit: Duration) {
    self.limit = limit
  }

  /// The work on an item begins in `task`.
  func begin(_ item: Int, _ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      // The work may be over already.
      if state.entries[item] != nil { state.entries[item]?.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// An item exists from now on; its time does not run yet.
  func register(_ item: Int) {
    state.withLock { $0.entries[item] = Entry() }
  }

  /// Something is done for an item for the first time.
  func start(_ item: Int) {
    state.withLock { state in
      guard state.entries[item]?.deadline == nil else { return }
      state.entries[item]?.deadline = .now + limit
    }
  }

  /// Whether an item was ended because its time was up.
  func hasExpired(_ item: Int) -> Bool {
    state.withLock { $0.entries[item]?.hasExpired ?? false }
  }

  /// The work on an item is over.
  func end(_ item: Int) {
    state.withLock { $0.entries[item] = nil }
  }

  /// Ends all items, those that are still to begin among them.
  func cancelAll() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      return state.entries.values.compactMap(\.task)
    }
    for task in tasks { task.cancel() }
  }

  /// Watches until the task is cancelled.
  func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(200))
      let now = ContinuousClock.now
      let late = state.withLock { state -> [Task<Void, Never>] in
        var late: [Task<Void, Never>] = []
        for (item, entry) in state.entries {
          guard let deadline = entry.deadline, deadline < now, !entry.hasExpired else { continue }
          state.entries[item]?.hasExpired = true
          if let task = entry.task { late.append(task) }
        }
        return late
      }
      for task in late { task.cancel() }
    }
  }
}
