import FetchPipeline

/// Hands rows from the thread that reads them to the task that wants them, one batch ahead at most.
final class RowHandover: Sendable {
  private struct State {
    /// A batch that nobody has asked for yet; with an empty one the thread waits.
    var ready: [SourceItem]?
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<[SourceItem]?, any Error>?
    var isAbandoned = false
  }

  private let monitor = Monitor(State())

  // MARK: The thread's side

  /// Hands a batch over, when the one before has been taken.
  ///
  /// - Returns: whether more are wanted.
  func put(_ batch: [SourceItem]) -> Bool {
    let waiter: CheckedContinuation<[SourceItem]?, any Error>?? = monitor.wait { state in
      if state.isAbandoned { return .done(nil) }
      if let waiter = state.waiter {
        state.waiter = nil
        return .done(.some(waiter))
      }
      if state.ready != nil { return .wait }
      state.ready = batch
      return .done(.some(nil))
    }
    guard let waiter else { return false }
    waiter?.resume(returning: batch)
    return true
  }

  /// There is nothing more.
  func end(_ result: Result<Void, any Error>) {
    let waiter = monitor.withLock { state in
      state.end = result
      return state.waiter.take()
    }
    waiter?.resume(with: result.map { nil })
  }

  // MARK: The task's side

  /// The next batch; nil at the end.
  func take() async throws -> [SourceItem]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<[SourceItem]?, any Error>? = monitor.withLock { state in
          if state.isAbandoned { return .failure(CancellationError()) }
          if let batch = state.ready.take() { return .success(batch) }
          if let end = state.end { return end.map { nil } }
          state.waiter = continuation
          return nil
        }
        monitor.signal()
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      abandon()
    }
  }

  /// No more rows are wanted.
  func abandon() {
    let waiter = monitor.withLock { state in
      state.isAbandoned = true
      state.ready = nil
      return state.waiter.take()
    }
    monitor.signal()
    waiter?.resume(throwing: CancellationError())
  }
}
