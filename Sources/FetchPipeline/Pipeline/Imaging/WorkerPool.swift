/// The threads that decode, transform and encode, each with codec sessions of its own.
///
/// Work that computes for milliseconds has no place on Swift's shared pool, where it would hold up everything that waits
/// for a packet.
final class WorkerPool: Sendable {
  private typealias Job = @Sendable (Worker) -> Void

  private struct State {
    var jobs = Queue<Job>()
    /// Those of the work that is queued or under way, by number.
    var latches: [Int: CancellationLatch] = [:]
    var last = 0
    var isClosed = false
  }

  private let state = Lock(State())
  private let available = Semaphore()
  private let count: Int

  /// Starts `count` threads, which keep the pool alive until `shutdown`.
  init(count: Int) throws {
    self.count = max(count, 1)
    do {
      for _ in 0..<self.count { try BackgroundThread.start { [self] in loop() } }
    } catch {
      shutdown()
      throw error
    }
  }

  /// Ends what is queued or under way, at its next checkpoint, and then the threads.
  func shutdown() {
    let latches = state.withLock { state in
      state.isClosed = true
      return Array(state.latches.values)
    }
    for latch in latches { latch.cancel() }
    for _ in 0..<count { available.signal() }
  }

  /// Runs `work` on a worker's thread, in the order of arrival.
  ///
  /// - Parameter work: is given the worker, and a latch that says whether the calling task has been cancelled.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable (Worker, CancellationLatch) throws -> Result
  ) async throws -> Result {
    let latch = CancellationLatch()
    let caller = WaitingCaller<Result>()
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
          caller.wait(continuation)
          let isTaken = enqueue(latch) { worker in
            // Nobody waits any more for work that was cancelled, or shut down, before it began.
            guard let continuation = caller.take() else { return }
            continuation.resume(
              with: Swift.Result {
                if latch.isCancelled { throw CancellationError() }
                return try work(worker, latch)
              })
          }
          if isTaken { available.signal() } else { caller.take()?.resume(throwing: CancellationError()) }
          if latch.isCancelled { caller.take()?.resume(throwing: CancellationError()) }
        }
      } onCancel: {
        latch.cancel()
        caller.take()?.resume(throwing: CancellationError())
      }
    } catch is CancellationError where !Task.isCancelled && state.withLock({ $0.isClosed }) {
      throw PipelineError(.decode, .cancelled, "the pipeline has been shut down")
    }
  }

  /// Queues work; false where none is taken any more.
  private func enqueue(_ latch: CancellationLatch, _ work: @escaping Job) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.last += 1
      let number = state.last
      state.latches[number] = latch
      state.jobs.append { [self] worker in
        work(worker)
        self.state.withLock { $0.latches[number] = nil }
      }
      return true
    }
  }

  private func loop() {
    let worker = Worker()
    while true {
      available.wait()
      guard let job = state.withLock({ $0.jobs.popFirst() }) else { return }
      job(worker)
    }
  }
}

/// Who waits for work that has not begun.
private final class WaitingCaller<Result: Sendable>: Sendable {
  private let continuation = Lock<CheckedContinuation<Result, any Error>?>(nil)

  func wait(_ waiting: CheckedContinuation<Result, any Error>) {
    continuation.withLock { $0 = waiting }
  }

  /// Who waits; nil where that has been taken already.
  func take() -> CheckedContinuation<Result, any Error>? {
    continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}

/// What a worker's thread keeps from one picture to the next. Never leaves its thread.
final class Worker {
  private var decoders: [Int: any ImageDecoderSession] = [:]
  private var encoders: [EncoderKey: any ImageEncoderSession] = [:]

  private struct EncoderKey: Hashable {
    let encoding: Digest
    let format: ImageFormat
  }

  /// The session of the decoder at a place in the pipeline's list.
  func session(of decoder: any ImageDecoder, at index: Int) -> any ImageDecoderSession {
    if let session = decoders[index] { return session }
    let session = decoder.makeSession()
    decoders[index] = session
    return session
  }

  /// The session of an encoder with its options, whose fingerprint is `encoding`, for a format where it may be one of
  /// several.
  func session(of encoder: any ImageEncoder, with encoding: Digest, format: ImageFormat) -> any ImageEncoderSession {
    let key = EncoderKey(encoding: encoding, format: format)
    if let session = encoders[key] { return session }
    // Requests may bring options of their own, of which there is no end.
    if encoders.count >= Self.mostEncoders { encoders = [:] }
    let session = encoder.makeSession()
    encoders[key] = session
    return session
  }

  private static let mostEncoders = 32
}
