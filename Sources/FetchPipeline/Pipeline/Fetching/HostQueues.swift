/// Lets requests start by `HostQueueState`, as tasks that wait.
final class HostQueues: Sendable {
  private struct State {
    var queues: HostQueueState
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextTicket = 0
    /// When the timer that runs will tick; nil where none runs.
    var timer: Duration?
  }

  private let state: Lock<State>
  private let clock: any PipelineClock

  init(_ options: TransportOptions, clock: any PipelineClock) {
    self.clock = clock
    state = Lock(
      State(
        queues: HostQueueState(
          connections: options.connections, perHost: options.connectionsPerHost,
          requestsPerSecond: options.requestsPerSecondPerHost)))
  }

  /// A place for a request to `host`, held until the slot is released.
  func slot(for host: String) async throws -> HostSlot {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let resumes: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.queues.enter(ticket, host: host, now: clock.uptime) { return .success(()) }
          state.waiters[ticket] = continuation
          return nil
        }
        if let resumes { continuation.resume(with: resumes) } else { setTimer() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.queues.abandon(ticket, host: host, now: clock.uptime) ? state.waiters.removeValue(forKey: ticket) : nil
      }
      waiter?.resume(throwing: CancellationError())
    }
    return HostSlot(queues: self, host: host)
  }

  /// Lets no request to a host start for a while.
  func pause(_ host: String, for duration: Duration) {
    state.withLock { $0.queues.pause(host, for: duration, now: clock.uptime) }
    setTimer()
  }

  fileprivate func leave(_ host: String) {
    letGo { $0.leave(host: host, now: clock.uptime) }
    setTimer()
  }

  private func letGo(_ change: (inout HostQueueState) -> [Int]) {
    let released = state.withLock { state in
      change(&state.queues).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in released { waiter.resume() }
  }

  /// Sees to it that a tick comes when the next host may be asked again.
  private func setTimer() {
    let due = state.withLock { state -> Duration? in
      guard let next = state.queues.nextTick, state.timer.map({ next < $0 }) ?? true else { return nil }
      state.timer = next
      return next
    }
    guard let due else { return }
    Task { [weak self, clock] in
      try? await clock.sleep(for: max(due - clock.uptime, .zero))
      self?.tick(due)
    }
  }

  private func tick(_ due: Duration) {
    state.withLock { if $0.timer == due { $0.timer = nil } }
    letGo { $0.tick(now: clock.uptime) }
    setTimer()
  }
}

/// A request's place among those to its host. Given back once, at the latest when it goes away.
final class HostSlot: Sendable {
  private let queues: HostQueues
  private let host: String
  private let isHeld = Lock(true)

  fileprivate init(queues: HostQueues, host: String) {
    self.queues = queues
    self.host = host
  }

  deinit {
    release()
  }

  func release() {
    let held = isHeld.withLock { held in
      defer { held = false }
      return held
    }
    if held { queues.leave(host) }
  }
}
