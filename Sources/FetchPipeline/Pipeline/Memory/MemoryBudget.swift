/// Lets tasks hold memory by `MemoryBudgetState`, and wait for it.
final class MemoryBudget: Sendable {
  private struct State {
    var budget: MemoryBudgetState
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextTicket = 0
  }

  private let state: Lock<State>

  /// - Parameters:
  ///   - total: the ceiling in bytes.
  ///   - readAhead: the bytes of received bodies from which on no new one is let in.
  ///   - longestBody: the most bytes of a body.
  init(total: Int, readAhead: Int, longestBody: Int) {
    state = Lock(
      State(budget: MemoryBudgetState(total: total, readAhead: readAhead, longestBody: longestBody)))
  }

  private static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000 + (bytes % 1_000_000 == 0 ? 0 : 1)) MB" }

  /// An account for the body of one item, with nothing in it.
  func account() -> BodyAccount { BodyAccount(self) }

  /// Memory for a decode if it is free right now; nil also where it never will be.
  func pixelsAtOnce(_ bytes: Int, body: Int) -> PixelReservation? {
    let request = MemoryBudgetState.Request.pixels(bytes: bytes, body: body)
    let isGranted = state.withLock { state in
      guard state.budget.isPossible(request) else { return false }
      state.nextTicket += 1
      let granted = state.budget.ask(state.nextTicket, request)
      if granted.contains(state.nextTicket) { return true }
      // Nobody else can be granted by a request that is then taken back.
      _ = state.budget.withdraw(state.nextTicket)
      return false
    }
    return isGranted ? PixelReservation(self, bytes: bytes) : nil
  }

  /// Memory for a decode of a body of `body` bytes, when there is some. Throws `out-of-budget` where there never is.
  func pixels(_ bytes: Int, body: Int) async throws -> PixelReservation {
    try await wait(.pixels(bytes: bytes, body: body), at: .decode)
    return PixelReservation(self, bytes: bytes)
  }

  fileprivate func wait(_ request: MemoryBudgetState.Request, at stage: PipelineError.Stage) async throws {
    let ticket = try state.withLock { state in
      guard state.budget.isPossible(request) else {
        let total = Self.megabytes(state.budget.total)
        let message =
          if case .outgrow = request {
            "a body of unknown length is longer than limits.memory, which is \(total) in all"
          } else { "it needs \(Self.megabytes(request.bytes)), and limits.memory is \(total) in all" }
        throw PipelineError(stage, .outOfBudget, message)
      }
      state.nextTicket += 1
      return state.nextTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        change { state in
          state.waiters[ticket] = continuation
          return state.budget.ask(ticket, request)
        }
        // The handler may have run before there was a waiter.
        if Task.isCancelled { abandon(ticket) }
      }
    } onCancel: {
      abandon(ticket)
    }
  }

  private func abandon(_ ticket: Int) {
    var waiter: CheckedContinuation<Void, any Error>?
    change { state in
      waiter = state.waiters.removeValue(forKey: ticket)
      return waiter == nil ? [] : state.budget.withdraw(ticket)
    }
    waiter?.resume(throwing: CancellationError())
  }

  /// Changes the state and lets go whom that grants memory.
  fileprivate func change(_ body: (inout MemoryBudgetState) -> [Int]) {
    change { state in body(&state.budget) }
  }

  private func change(_ body: (inout State) -> [Int]) {
    let granted = state.withLock { state in
      body(&state).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in granted { waiter.resume() }
  }

  fileprivate func growth(from held: Int, to needed: Int, isExtended: Bool) -> MemoryBudgetState.Request {
    state.withLock { $0.budget.growth(from: held, to: needed, isExtended: isExtended) }
  }

  fileprivate var total: Int { state.withLock { $0.budget.total } }
}

/// What the body of an item holds, from its first byte until the memory is freed.
final class BodyAccount: BodyMemory {
  private enum Phase {
    case idle
    case receiving
    case complete
    case begun
  }

  private struct State {
    var held = 0
    var phase = Phase.idle
    var isExtended = false
  }

  private let budget: MemoryBudget
  private let state = Lock(State())

  fileprivate init(_ budget: MemoryBudget) {
    self.budget = budget
  }

  deinit {
    let (held, phase) = state.withLock { ($0.held, $0.phase) }
    guard phase != .idle else { return }
    budget.change { budget in
      let first = phase == .complete ? budget.begin(count: held) : []
      return first + budget.release(body: held, isReceiving: phase == .receiving)
    }
  }

  var mostBytes: Int { budget.total }

  func grow(to bytes: Int) async throws {
    let (held, phase, isExtended) = state.withLock { ($0.held, $0.phase, $0.isExtended) }
    guard bytes > held else { return }
    if phase == .idle {
      try await budget.wait(.admit(bytes: bytes), at: .transport)
      state.withLock { $0 = State(held: bytes, phase: .receiving) }
    } else {
      // A share, then as much as it may ever need: see `MemoryBudgetState`.
      let request = budget.growth(from: held, to: bytes, isExtended: isExtended)
      try await budget.wait(request, at: .transport)
      state.withLock { state in
        switch request {
        case .admit(let more), .extend(let more), .outgrow(let more, _), .pixels(let more, _): state.held += more
        }
        state.isExtended = true
      }
    }
  }

  func settle(at bytes: Int) {
    let held = state.withLock { state -> Int? in
      // An empty body was never let in.
      guard state.phase == .receiving else { return nil }
      defer { state = State(held: bytes, phase: .complete) }
      return state.held
    }
    if let held { budget.change { $0.complete(held: held, count: bytes) } }
  }

  /// A worker has taken the body up: it no longer counts as read ahead.
  func begin() {
    let held = state.withLock { state -> Int? in
      guard state.phase == .complete else { return nil }
      state.phase = .begun
      return state.held
    }
    if let held { budget.change { $0.begin(count: held) } }
  }
}

/// What a decode holds, until it goes away.
final class PixelReservation: Sendable {
  /// The bytes that are held.
  let bytes: Int
  private let budget: MemoryBudget

  fileprivate init(_ budget: MemoryBudget, bytes: Int) {
    self.budget = budget
    self.bytes = bytes
  }

  deinit {
    budget.change { $0.release(pixels: bytes) }
  }
}
