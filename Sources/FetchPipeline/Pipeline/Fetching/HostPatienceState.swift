/// How long hosts are left alone that ask for it (Retry-After, RFC 9110, section 10.2.3).
///
/// A time up to `maxBackoff` is kept to the letter, by all requests to the host. A longer one is not: whoever was answered so
/// is not tried again, and the host is left alone for `backoff` only, so that one odd answer does not hold up what else
/// there is at that host; but for twice as long each time that it says so again with no other answer in between, up to
/// `maxBackoff`. A value without I/O or clock: times are given.
struct HostPatienceState {
  private struct Refusal {
    var pause: Duration
    var until: Duration
  }

  private let policy: RetryPolicy
  private var refusals: [String: Refusal] = [:]

  init(_ policy: RetryPolicy) {
    self.policy = policy
  }

  /// How long the host is left alone after an answer that asks for `time`; nil where it may be asked at once.
  mutating func pause(of host: String, asking time: Duration?, now: Duration) -> Duration? {
    guard let time else {
      refusals[host] = nil
      return nil
    }
    if time <= policy.maxBackoff { return time }
    var refusal = refusals[host] ?? Refusal(pause: .zero, until: now)
    // Answers to what was on its way before the pause say nothing new.
    if refusal.pause > .zero, now < refusal.until { return nil }
    refusal.pause = min(max(refusal.pause * 2, policy.backoff), policy.maxBackoff)
    refusal.until = now + refusal.pause
    refusals[host] = refusal
    return refusal.pause
  }
}
