import FetchPipeline

/// One request and its answer, shared by the tasks that wait for it and the loop that moves its bytes.
final class Exchange: Sendable {
  /// What is asked for.
  let request: HTTPRequest
  /// The handle that carries the exchange; touched on the loop's thread only.
  nonisolated(unsafe) var handle: EasyHandle?
  /// Whether the loop is to look after the exchange once libcurl is done; touched on the loop's thread only.
  nonisolated(unsafe) var isTouched = false

  private struct Shared {
    var state: ExchangeState
    var isCancelled = false
    var head: [UInt8]?
    var headWaiter: CheckedContinuation<[UInt8], any Error>?
    var bodyWaiter: CheckedContinuation<Bool, any Error>?
    var endWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let shared: Lock<Shared>

  /// An exchange that has not begun.
  init(_ request: HTTPRequest, maximumBytes: Int) {
    self.request = request
    shared = Lock(Shared(state: ExchangeState(maximumBytes: maximumBytes)))
  }

  // MARK: What tasks ask

  /// Sends the request through `loop`, and returns the lines of the head.
  func head(through loop: CurlLoop) async throws -> [UInt8] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        shared.withLock { $0.headWaiter = continuation }
        if !loop.post(.start(self)) { end(CurlLoop.closedError) }
      }
    } onCancel: {
      cancel(through: loop)
    }
  }

  /// Receives bytes, as `HTTPBodySource` has it.
  func receive(into buffer: ReceiveBuffer, atLeast minimum: Int, through loop: CurlLoop) async throws -> Bool {
    enum Step {
      case returned(ExchangeState.Receipt)
      case waiting
    }
    let (receipt, wantsToResume) = shared.withLock { shared in
      (shared.state.receive(into: buffer, atLeast: minimum), shared.state.wantsToResume)
    }
    if wantsToResume { _ = loop.post(.resume(self)) }
    switch receipt {
    case .bytes(let hasEnded): return hasEnded
    case .failure(let error): throw error
    case nil: break
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // What has come meanwhile may be enough.
        let receipt = shared.withLock { shared -> ExchangeState.Receipt? in
          let receipt = shared.state.answer()
          if receipt == nil { shared.bodyWaiter = continuation }
          return receipt
        }
        if let receipt { Self.resume(continuation, with: receipt) }
      }
    } onCancel: {
      cancel(through: loop)
    }
  }

  /// Ends the exchange unless it is over.
  func cancel(through loop: CurlLoop) {
    let isNew = shared.withLock { shared -> Bool in
      if shared.isCancelled || shared.state.isOver { return false }
      shared.isCancelled = true
      return true
    }
    if isNew { _ = loop.post(.cancel(self)) }
  }

  /// Ends the exchange unless it is over, and returns when it is.
  func cancelAndWait(through loop: CurlLoop) async {
    await withCheckedContinuation { continuation in
      let isOver = shared.withLock { shared -> Bool in
        if shared.state.isOver { return true }
        shared.endWaiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() } else { cancel(through: loop) }
    }
  }

  // MARK: What the loop tells

  /// Whether somebody has given the exchange up.
  var isCancelled: Bool { shared.withLock { $0.isCancelled } }

  /// Whether the head has come.
  var hasHead: Bool { shared.withLock { $0.state.hasHead } }

  /// The head is complete. Nobody is told before `settle`.
  func headArrived(_ block: [UInt8]) {
    shared.withLock {
      $0.state.headArrived()
      $0.head = block
    }
  }

  /// Takes bytes of the body; false where the exchange is to be ended. Nobody is told before `settle`.
  func received(_ chunk: UnsafeRawBufferPointer) -> Bool {
    shared.withLock { $0.state.received(chunk) }
  }

  /// Notes why the exchange is about to be ended.
  func abort(_ error: any Error) {
    shared.withLock { $0.state.abort(error) }
  }

  /// The exchange is over, and its connection has been given back or closed. Tells all who wait.
  func end(_ failure: (any Error)?) {
    shared.withLock { $0.state.end(failure) }
    _ = settle()
  }

  /// Tells those who wait what has come, and returns what is to be done to the flow.
  func settle() -> ExchangeState.FlowChange? {
    var headWaiter: (CheckedContinuation<[UInt8], any Error>, Result<[UInt8], any Error>)?
    var bodyWaiter: (CheckedContinuation<Bool, any Error>, ExchangeState.Receipt)?
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    let change = shared.withLock { shared -> ExchangeState.FlowChange? in
      if let waiter = shared.headWaiter {
        if let head = shared.head {
          headWaiter = (waiter, .success(head))
        } else if let failure = shared.state.failure {
          headWaiter = (waiter, .failure(failure))
        }
        if headWaiter != nil {
          shared.headWaiter = nil
          shared.head = nil
        }
      }
      if let waiter = shared.bodyWaiter, let receipt = shared.state.answer() {
        bodyWaiter = (waiter, receipt)
        shared.bodyWaiter = nil
      }
      if shared.state.isOver { swap(&endWaiters, &shared.endWaiters) }
      return shared.state.flowChange()
    }
    if let (waiter, result) = headWaiter { waiter.resume(with: result) }
    if let (waiter, receipt) = bodyWaiter { Self.resume(waiter, with: receipt) }
    for waiter in endWaiters { waiter.resume() }
    return change
  }

  private static func resume(
    _ continuation: CheckedContinuation<Bool, any Error>, with receipt: ExchangeState.Receipt
  ) {
    switch receipt {
    case .bytes(let hasEnded): continuation.resume(returning: hasEnded)
    case .failure(let error): continuation.resume(throwing: error)
    }
  }
}
