/// Ends the items that take too long, and all of them when the run has to end.
final class ItemDeadlines: Sendable {
  private struct Entry {
    var task: Task<Void, Never>?
    var time = ItemTime()
    var hasExpired = false
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var isCancelled = false
    var last = 0
  }

  private let state = Lock(State())
  private let limit: Duration
  private let clock: any PipelineClock

  /// - Parameter limit: the most time for an item, counted as `ItemTime` does.
  init(limit: Duration, clock: any PipelineClock) {
    self.limit = limit
    self.clock = clock
  }

  /// Does `work` on an item in a task of its own, which is ended when its time is up.
  func run(_ work: @escaping @Sendable (ItemDeadline) async -> Void) {
    let item = state.withLock { state in
      state.last += 1
      state.entries[state.last] = Entry()
      return state.last
    }
    let deadline = ItemDeadline(self, item)
    let task = Task {
      await work(deadline)
      end(item)
    }
    let isCancelled = state.withLock { state in
      // The work may be over already.
      if state.entries[item] != nil { state.entries[item]?.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Does `work` on an item in the calling task's stead, and returns what comes of it.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (ItemDeadline) async throws -> Value
  ) async throws -> Value {
    let result = Lock<Result<Value, any Error>?>(nil)
    let latch = CancellationLatch()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        run { deadline in
          let outcome: Result<Value, any Error>
          do { outcome = .success(try await work(deadline)) } catch { outcome = .failure(error) }
          result.withLock { $0 = outcome }
          continuation.resume()
        }
        if latch.isCancelled { cancelAll() }
      }
      guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
      return try outcome.get()
    } onCancel: {
      latch.cancel()
      cancelAll()
    }
  }

  fileprivate func note(_ activity: ItemActivity, of item: Int) {
    state.withLock { state in
      state.entries[item]?.time.note(activity, at: clock.uptime)
    }
  }

  fileprivate func elapsed(_ item: Int) -> Duration? {
    state.withLock { $0.entries[item]?.time.elapsed(at: clock.uptime) }
  }

  fileprivate func hasExpired(_ item: Int) -> Bool {
    state.withLock { $0.entries[item]?.hasExpired ?? false }
  }

  private func end(_ item: Int) {
    state.withLock { $0.entries[item] = nil }
  }

  /// Ends the items for which nothing has been done yet.
  func cancelWaiting() {
    let tasks = state.withLock { state in
      state.entries.values.filter { !$0.time.hasBegun }.compactMap(\.task)
    }
    for task in tasks { task.cancel() }
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
      do { try await clock.sleep(for: .milliseconds(200)) } catch { return }
      let now = clock.uptime
      let late = state.withLock { state -> [Task<Void, Never>] in
        var late: [Task<Void, Never>] = []
        for (item, entry) in state.entries {
          guard !entry.hasExpired, let elapsed = entry.time.elapsed(at: now), elapsed > limit else { continue }
          // Nothing that the item does is too slow while it does nothing but wait for its turn.
          if entry.time.isWaiting { continue }
          state.entries[item]?.hasExpired = true
          if let task = entry.task { late.append(task) }
        }
        return late
      }
      for task in late { task.cancel() }
    }
  }
}

/// The time that an item has.
struct ItemDeadline: Sendable {
  private let deadlines: ItemDeadlines
  private let item: Int

  fileprivate init(_ deadlines: ItemDeadlines, _ item: Int) {
    self.deadlines = deadlines
    self.item = item
  }

  /// Something has become of the item that its time depends on.
  func note(_ activity: ItemActivity) { deadlines.note(activity, of: item) }

  /// The time of the item so far; nil where nothing was done for it.
  var elapsed: Duration? { deadlines.elapsed(item) }

  /// Whether the item was ended because its time was up.
  var hasExpired: Bool { deadlines.hasExpired(item) }
}
