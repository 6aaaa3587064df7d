/// Gathers what many tasks want committed and commits it together on a thread of its own: a disk takes as long for many
/// as for one.
package final class GroupCommitter<Entry: Sendable, Output: Sendable>: Sendable {
  /// When a group is closed.
  package struct Pace: Sendable {
    /// It has so many entries,
    package var largest: Int
    /// or nothing has come for so long,
    package var quiet: Duration
    /// or its first entry has waited so long.
    package var longest: Duration

    package init(largest: Int, quiet: Duration, longest: Duration) {
      self.largest = largest
      self.quiet = quiet
      self.longest = longest
    }
  }

  private struct Waiting {
    let entry: Entry
    let continuation: CheckedContinuation<Output, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var first = ContinuousClock.now
    var last = ContinuousClock.now
    var isClosing = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []

    /// The next group, nil when there will be none, or how long to wait for it.
    mutating func nextGroup(_ pace: Pace) -> Monitor<State>.Turn<[Waiting]?> {
      if waiting.isEmpty { return isClosing ? .done(nil) : .wait }
      if !isClosing, waiting.count < pace.largest {
        let rest = min(first + pace.longest, last + pace.quiet) - ContinuousClock.now
        if rest > .zero { return .waitAtMost(rest) }
      }
      let group = Array(waiting.prefix(pace.largest))
      waiting.removeFirst(group.count)
      // What is left has waited already: `first` stays.
      return .done(group)
    }
  }

  private let monitor: Monitor<State>
  private let pace: Pace

  /// Starts the thread.
  ///
  /// - Parameter commit: commits a group and says what became of each entry, in order. It may block.
  package init(pace: Pace, commit: @escaping @Sendable ([Entry]) -> [Result<Output, any Error>]) throws {
    self.pace = pace
    let monitor = Monitor(State())
    self.monitor = monitor
    try BackgroundThread.start { Self.run(monitor, pace, commit) }
  }

  deinit { close() }

  /// Returns when the entry has been committed. Not cut short by cancellation: what is in flight is finished.
  package func commit(_ entry: Entry) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      let accepted = monitor.withLock { state in
        if state.isClosing { return false }
        state.last = .now
        if state.waiting.isEmpty { state.first = state.last }
        state.waiting.append(Waiting(entry: entry, continuation: continuation))
        // In between the thread looks by itself, by the clock.
        if state.waiting.count == 1 || state.waiting.count == pace.largest { monitor.signal() }
        return true
      }
      if !accepted {
        continuation.resume(throwing: PipelineError(.output, .cancelled, "the run has ended"))
      }
    }
  }

  /// Commits what is waiting, takes nothing more, and returns when the thread is done.
  package func finish() async {
    close()
    await withCheckedContinuation { continuation in
      let isClosed = monitor.withLock { state in
        if !state.isClosed { state.closers.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() }
    }
  }

  private func close() {
    monitor.withLock { $0.isClosing = true }
    monitor.signal()
  }

  private static func run(
    _ monitor: Monitor<State>, _ pace: Pace, _ commit: ([Entry]) -> [Result<Output, any Error>]
  ) {
    while let group = monitor.wait({ $0.nextGroup(pace) }) {
      let results = commit(group.map(\.entry))
      for (index, waiting) in group.enumerated() {
        waiting.continuation.resume(
          with: index < results.count
            ? results[index] : .failure(PipelineError(.output, .write, "a group was committed in part")))
      }
    }
    let closers = monitor.withLock { state in
      state.isClosed = true
      return state.closers
    }
    for closer in closers { closer.resume() }
  }
}
