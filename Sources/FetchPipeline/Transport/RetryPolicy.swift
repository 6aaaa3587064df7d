/// How often an exchange is tried, and how long is waited in between.
public struct RetryPolicy: ConfigurationGroup, Hashable {
  /// The attempts, the first one included.
  public var attempts = 3
  /// The most that is waited before the second attempt; doubled before each further one.
  public var backoff = Duration.milliseconds(500)
  /// The most that is ever waited between two attempts.
  public var maxBackoff = Duration.seconds(30)

  /// The defaults.
  public init() {}

  /// What the group is called.
  public static let groupName = "retry"

  /// Its options.
  public static let options: [OptionDeclaration<RetryPolicy>] = [
    .init("attempts", \.attempts, in: 1...100, "the attempts in all; 1 is none but the first"),
    .init(
      "backoff", \.backoff, in: .zero...Duration.seconds(86_400),
      "the most that is waited before the second attempt, at random from nothing; doubled before each further one"),
    .init(
      "maxBackoff", \.maxBackoff, in: .zero...Duration.seconds(86_400),
      "the most that is waited; what a server asks to be tried later than that (Retry-After) is not tried again in this run"
    ),
  ]
}

/// Whether an exchange is tried again, and when: a state machine without I/O or clock.
struct RetryState {
  private let policy: RetryPolicy
  private let isIdempotent: Bool
  private(set) var attempts = 1

  init(policy: RetryPolicy, method: HTTPMethod) {
    self.policy = policy
    isIdempotent = method.isIdempotent
  }

  /// What ended an attempt.
  enum Failure {
    /// An answer that says "not now".
    case status(Int, retryAfter: Duration?)
    /// No answer, or half of one.
    case error(PipelineError)
  }

  /// How long to wait before the next attempt; nil where there is none.
  ///
  /// - Parameter jitter: a random number, 0..<1: waits are spread evenly from nothing to the most there is ("full jitter"),
  ///   so that what failed together does not come back together.
  mutating func wait(after failure: Failure, jitter: Double) -> Duration? {
    guard isIdempotent, attempts < policy.attempts else { return nil }
    var asked: Duration?
    switch failure {
    case .status(let status, let retryAfter):
      guard Self.isTransient(status) else { return nil }
      asked = retryAfter
    case .error(let error):
      guard error.stage == .transport, error.isTransient, error.code != .hostUnavailable, error.code != .outOfBudget,
        error.code != .cancelled
      else { return nil }
    }
    if let asked, asked > policy.maxBackoff { return nil }
    defer { attempts += 1 }
    if let asked { return asked }
    let doubled = policy.backoff * (1 << min(attempts - 1, 30))
    return min(doubled, policy.maxBackoff) * min(max(jitter, 0), 1)
  }

  /// Whether an answer may be another one later (RFC 9110, section 15; RFC 6585; RFC 8470).
  static func isTransient(_ status: Int) -> Bool {
    [408, 425, 429].contains(status) || (500..<600).contains(status)
  }
}
