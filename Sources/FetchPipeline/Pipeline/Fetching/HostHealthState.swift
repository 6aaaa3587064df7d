/// Which origins (scheme, host, port) are given up for a while, because nothing is to be had from them: a circuit breaker
/// for each.
///
/// An origin that has failed many times in a row without a single answer is suspected first: it may have an outage of
/// seconds, and what is to be had from it is worth the wait. Nobody asks it for a while, then one request finds out; each
/// that does without an answer makes the next while longer. An origin that stays silent all that time is given up: what is
/// asked of it fails at once, and after a pause one request may try again. Any answer ends all of this.
///
/// A value without I/O or clock: times are given.
struct HostHealthState {
  /// What a request may do.
  enum Admission: Hashable {
    /// It may start. If it is a probe, how it ends is to be told with that.
    case start(isProbe: Bool)
    /// It is to ask again after so long: the origin is suspected.
    case wait(Duration)
    /// It fails: the origin is given up for so long, or another one is trying.
    case refuse(Duration)
  }

  private struct Origin {
    var failures = 0
    /// From when on one may try; nil while the origin is asked as usual.
    var opensAt: Duration?
    /// How long it has been left alone last.
    var pause = HostHealthState.firstHold
    /// Whether it has been silent through all holds.
    var isGivenUp = false
    /// Whether one is trying.
    var isProbed = false
  }

  /// The failures in a row after which an origin is suspected.
  static let threshold = 10
  /// How long nobody asks it then; doubled each time that it is silent again, and given up after the last.
  static let firstHold = Duration.seconds(1)
  static let lastHold = Duration.seconds(8)
  /// How long who waits for another one's probe waits before it looks again.
  static let probeWait = Duration.milliseconds(250)
  /// How long an origin that is given up is left alone; doubled each time that it fails again.
  static let firstPause = Duration.seconds(15)
  static let longestPause = Duration.seconds(300)

  private var origins: [String: Origin] = [:]

  /// What a request to the origin might do now, if it asked for admission.
  func outlook(_ name: String, now: Duration) -> Admission {
    guard let origin = origins[name], let opensAt = origin.opensAt else { return .start(isProbe: false) }
    if now < opensAt { return origin.isGivenUp ? .refuse(opensAt - now) : .wait(opensAt - now) }
    // One at a time finds out whether the origin is back.
    if origin.isProbed { return origin.isGivenUp ? .refuse(.zero) : .wait(Self.probeWait) }
    return .start(isProbe: true)
  }

  /// What a request to the origin does now. A probe begins with that.
  mutating func admit(_ name: String, now: Duration) -> Admission {
    let admission = outlook(name, now: now)
    if admission == .start(isProbe: true) { origins[name]?.isProbed = true }
    return admission
  }

  /// The origin has answered, whatever it said.
  mutating func answered(_ name: String) {
    origins[name] = nil
  }

  /// Nothing came from the origin.
  mutating func failed(_ name: String, isProbe: Bool, now: Duration) {
    var origin = origins[name] ?? Origin()
    origin.failures += 1
    if origin.opensAt == nil {
      if origin.failures >= Self.threshold { origin.opensAt = now + origin.pause }
    } else if isProbe {
      // What had started before the origin was suspected does not count again.
      if origin.isGivenUp {
        origin.pause = min(origin.pause * 2, Self.longestPause)
      } else if origin.pause < Self.lastHold {
        origin.pause *= 2
      } else {
        origin.isGivenUp = true
        origin.pause = Self.firstPause
      }
      origin.opensAt = now + origin.pause
      origin.isProbed = false
    }
    origins[name] = origin
  }

  /// A request ended without telling anything about the origin: it was cancelled.
  mutating func abandoned(_ name: String, isProbe: Bool) {
    if isProbe { origins[name]?.isProbed = false }
  }
}
