/// Which hosts are given up for a while, because nothing is to be had from them: a circuit breaker for each.
///
/// A host that has failed many times in a row without a single answer is not asked any more; after a pause one request may
/// try again. A value without I/O or clock: times are given.
struct HostHealthState {
  private struct Host {
    var failures = 0
    /// From when on one may try again; nil while the host is asked as usual.
    var opensAt: Duration?
    var pause = HostHealthState.firstPause
    /// Whether one is trying.
    var isProbed = false
  }

  /// The failures in a row after which a host is given up.
  static let threshold = 10
  /// How long it is then left alone; doubled each time that it fails again.
  static let firstPause = Duration.seconds(15)
  static let longestPause = Duration.seconds(300)

  private var hosts: [String: Host] = [:]

  /// Whether a request to the host may start; else how long the host is left alone.
  mutating func admit(_ name: String, now: Duration) -> Duration? {
    guard var host = hosts[name], let opensAt = host.opensAt else { return nil }
    if now < opensAt { return opensAt - now }
    // One at a time finds out whether the host is back.
    if host.isProbed { return .zero }
    host.isProbed = true
    hosts[name] = host
    return nil
  }

  /// The host has answered, whatever it said.
  mutating func answered(_ name: String) {
    hosts[name] = nil
  }

  /// Nothing came from the host.
  mutating func failed(_ name: String, now: Duration) {
    var host = hosts[name] ?? Host()
    host.failures += 1
    if host.opensAt != nil {
      // The probe failed; what had started before the host was given up does not count again.
      if host.isProbed {
        host.pause = min(host.pause * 2, Self.longestPause)
        host.opensAt = now + host.pause
        host.isProbed = false
      }
    } else if host.failures >= Self.threshold {
      host.opensAt = now + host.pause
    }
    hosts[name] = host
  }

  /// A request ended without telling anything about the host: it was cancelled.
  mutating func abandoned(_ name: String) {
    hosts[name]?.isProbed = false
  }
}
