import FetchPipeline

/// The deadlines of one exchange: a value that is told the time.
///
/// Time in which the exchange is held up by its own consumer does not count.
struct ExchangeTimer {
  /// A deadline that has passed.
  enum Expiry: Equatable {
    /// The name was not resolved within the time for connecting.
    case lookup
    /// The attempt took longer than it may.
    case attempt
    /// Nothing was received for too long.
    case stall
  }

  private enum Phase {
    case waiting
    case resolving(since: Moment)
    case connecting
    case transferring(lastReceipt: Moment)
    case paused(at: Moment, sinceLastReceipt: Int64)
  }

  private let attempt: Int64
  private let connect: Int64
  private let stall: Int64
  private var phase = Phase.waiting
  /// When the attempt is over; moves with every pause.
  private var attemptEnd = Moment.never

  /// Deadlines; none of them runs yet.
  init(attempt: Duration, connect: Duration, stall: Duration) {
    self.attempt = attempt.inNanoseconds
    self.connect = connect.inNanoseconds
    self.stall = stall.inNanoseconds
  }

  /// The look-up of the host's name has begun.
  mutating func lookupStarted(at now: Moment) {
    start(at: now)
    phase = .resolving(since: now)
  }

  /// The addresses are known; returns the nanoseconds that are left for connecting, at least a millisecond.
  mutating func connectStarted(at now: Moment) -> Int64 {
    start(at: now)
    var left = connect
    if case .resolving(let since) = phase { left -= now.since(since) }
    phase = .connecting
    return max(left, 1_000_000)
  }

  /// There is a connection, and the request is about to be sent.
  mutating func connected(at now: Moment) {
    phase = .transferring(lastReceipt: now)
  }

  /// Something was received, or sent.
  mutating func progressed(at now: Moment) {
    if case .transferring = phase { phase = .transferring(lastReceipt: now) }
  }

  /// Receiving stops until the consumer wants more.
  mutating func paused(at now: Moment) {
    guard case .transferring(let last) = phase else { return }
    phase = .paused(at: now, sinceLastReceipt: now.since(last))
  }

  /// Receiving goes on.
  mutating func resumed(at now: Moment) {
    guard case .paused(let at, let elapsed) = phase else { return }
    attemptEnd = attemptEnd + now.since(at)
    phase = .transferring(lastReceipt: now + -elapsed)
  }

  /// The next moment at which `expiry` may have something to say.
  var deadline: Moment {
    switch phase {
    case .waiting, .paused: .never
    case .resolving(let since): min(attemptEnd, since + connect)
    case .connecting: attemptEnd
    case .transferring(let last): min(attemptEnd, last + stall)
    }
  }

  /// The deadline that has passed at `now`, if one has.
  func expiry(at now: Moment) -> Expiry? {
    guard deadline <= now else { return nil }
    if attemptEnd <= now { return .attempt }
    if case .resolving = phase { return .lookup }
    return .stall
  }

  private mutating func start(at now: Moment) {
    if attemptEnd == .never { attemptEnd = now + attempt }
  }
}
