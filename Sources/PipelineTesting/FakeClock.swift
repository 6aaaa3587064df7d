import FetchPipeline

/// A clock that is set by hand, or that jumps ahead whenever somebody waits.
public final class FakeClock: PipelineClock {
  private struct Sleeper {
    let id: Int
    let due: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var uptime = Duration.zero
    var sleeps: [Duration] = []
    var sleepers: [Sleeper] = []
    var last = 0
  }

  private let state = Lock(State())
  private let start: Double
  private let jumps: Bool

  /// A clock.
  ///
  /// - Parameters:
  ///   - wallTime: the time of day at the beginning, in seconds since 1970.
  ///   - jumps: whether who sleeps wakes at once, and the time has passed; else it passes by `advance`.
  public init(wallTime: Double = 1_700_000_000, jumps: Bool = true) {
    start = wallTime
    self.jumps = jumps
  }

  /// The time since the beginning.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// The time of day.
  public var wallTime: Double { start + uptime.inSeconds }

  /// How long has been slept each time, in the order in which it began.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// Lets time pass, and wakes those whose time has come.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state -> [Sleeper] in
      state.uptime += duration
      let due = state.sleepers.filter { $0.due <= state.uptime }
      state.sleepers.removeAll { sleeper in due.contains { $0.id == sleeper.id } }
      return due
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Sleeps, or jumps ahead.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state -> Int? in
      state.sleeps.append(duration)
      if jumps {
        state.uptime += duration
        return nil
      }
      state.last += 1
      return state.last
    }
    guard let id else { return await Task.yield() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock {
          $0.sleepers.append(Sleeper(id: id, due: $0.uptime + duration, continuation: continuation))
        }
        if Task.isCancelled { wake(id) }
      }
    } onCancel: {
      wake(id)
    }
  }

  private func wake(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}
