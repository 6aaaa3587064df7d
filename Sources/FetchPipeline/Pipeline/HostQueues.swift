/// Lets requests start by `HostQueueState`, as tasks that wait.
final class HostQueues: Sendable {
  private struct State {
    var queues: HostQueueState
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextTicket = 0
  }

  private let state: Lock<State>

  init(connections: Int, perHost: Int) {
    state = Lock(State(queues: HostQueueState(connections: connections, perHost: perHost)))
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
          if state.queues.enter(ticket, host: host) { return .success(()) }
          state.waiters[ticket] = continuation
          return nil
        }
        if let resumes { continuation.resume(with: resumes) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.queues.abandon(ticket, host: host) ? state.waiters.removeValue(forKey: ticket) : nil
      }
      waiter?.resume(throwing: CancellationError())
    }
    return HostSlot(queues: self, host: host)
  }

  fileprivate func leave(_ host: String) {
    let released = state.withLock { state in
      state.queues.leave(host: host).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in released { waiter.resume() }
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
