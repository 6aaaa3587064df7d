import FetchPipeline

/// What has become of one exchange: a value without I/O that is told what happens and says what follows.
///
/// Head first, then the body: bytes go straight into the buffer of whoever waits for them; up to `heldBytes` are kept
/// for a consumer that has not asked yet, then the flow is to be paused.
struct ExchangeState {
  /// The answer to a consumer that asks for bytes.
  enum Receipt {
    /// As many bytes as were asked for, or all that are left; and whether the body has ended.
    case bytes(hasEnded: Bool)
    /// There will be no more.
    case failure(any Error)
  }

  /// What is to be done to the flow of bytes.
  enum FlowChange {
    case pause
    case resume
  }

  /// So many bytes are kept for a consumer that has not asked; a little more where a single read brings more.
  static let heldBytes = 65_536

  private enum Phase {
    case head
    case body
    case over((any Error)?)
  }

  private var phase = Phase.head
  private var held = HeldBytes()
  private var pending: (buffer: ReceiveBuffer, goal: Int)?
  private var bytesLeft: Int
  private let maximumBytes: Int
  private var abortReason: (any Error)?
  private var isPaused = false

  /// An exchange whose body may have `maximumBytes`.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
    bytesLeft = maximumBytes
  }

  /// Whether nothing more will come.
  var isOver: Bool { if case .over = phase { true } else { false } }

  /// Whether the head is there.
  var hasHead: Bool { if case .head = phase { false } else { true } }

  /// Why the exchange failed, if it has.
  var failure: (any Error)? { if case .over(let failure) = phase { failure } else { nil } }

  // MARK: What the connection brings

  /// The head is complete.
  mutating func headArrived() {
    if case .head = phase { phase = .body }
  }

  /// Takes bytes of the body; false where the exchange is to be ended because of them.
  mutating func received(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard case .body = phase, abortReason == nil else { return false }
    guard chunk.count <= bytesLeft else {
      abort(Self.tooLarge(maximumBytes))
      return false
    }
    bytesLeft -= chunk.count
    var rest = chunk
    if held.isEmpty, let pending {
      rest = UnsafeRawBufferPointer(rebasing: rest[pending.buffer.append(rest)...])
    }
    if !rest.isEmpty { held.append(rest) }
    return true
  }

  /// Notes why the exchange is about to be ended; the first reason counts.
  mutating func abort(_ error: any Error) {
    if abortReason == nil { abortReason = error }
  }

  /// The exchange is over: complete, or failed for the reason noted before, else for `failure`.
  mutating func end(_ failure: (any Error)?) {
    guard !isOver else { return }
    let reason = abortReason ?? failure
    if reason is CancellationError { held.removeAll() }
    phase = .over(reason)
    isPaused = false
  }

  // MARK: What the consumer wants

  /// Asks for at least `minimum` bytes in `buffer`; nil where the consumer has to wait for `answer()`.
  mutating func receive(into buffer: ReceiveBuffer, atLeast minimum: Int) -> Receipt? {
    guard pending == nil else {
      return .failure(PipelineError(.transport, .protocol, "a body is received from by one consumer at a time"))
    }
    pending = (buffer, buffer.count + min(max(minimum, 0), buffer.available))
    return answer()
  }

  /// The answer to the consumer who waits, as soon as there is one. Its buffer is its own again.
  mutating func answer() -> Receipt? {
    guard let (buffer, goal) = pending else { return nil }
    held.drain(into: buffer)
    var receipt: Receipt?
    if case .over(nil) = phase, held.isEmpty {
      receipt = .bytes(hasEnded: true)
    } else if buffer.count >= goal {
      receipt = .bytes(hasEnded: false)
    } else if case .over(let failure?) = phase {
      receipt = .failure(failure)
    }
    if receipt != nil { pending = nil }
    return receipt
  }

  // MARK: The flow

  /// Whether the flow is paused although the consumer could do with more.
  var wantsToResume: Bool { isPaused && held.count < Self.heldBytes / 2 }

  /// What is to be done to the flow now; it counts as done.
  mutating func flowChange() -> FlowChange? {
    if wantsToResume {
      isPaused = false
      return .resume
    }
    if case .body = phase, !isPaused, held.count >= Self.heldBytes {
      isPaused = true
      return .pause
    }
    return nil
  }

  /// The error of a body that is larger than it may be.
  static func tooLarge(_ limit: Int) -> PipelineError {
    PipelineError(.transport, .bodyTooLarge, "the body is larger than the limit of \(limit) bytes (transport.maxBytes)")
  }
}
