/// What is known of hosts during a run: whose turn it is, how fast they may be asked, and which of their origins are given
/// up for a while.
final class Hosts: Sendable {
  /// The turn of a request.
  struct Turn: Sendable {
    /// Its place at the host.
    let slot: HostSlot
    fileprivate let origin: String
    fileprivate let isProbe: Bool
  }

  private let queues: HostQueues
  private let health = Lock(HostHealthState())
  private let patience: Lock<HostPatienceState>
  private let clock: any PipelineClock

  init(_ options: TransportOptions, clock: any PipelineClock) {
    queues = HostQueues(options, clock: clock)
    patience = Lock(HostPatienceState(options.retry))
    self.clock = clock
  }

  /// Waits for the turn of a request to `url`. Who waits because its origin is suspected has no place at the host
  /// meanwhile, so that other origins there are not held up.
  ///
  /// How the request ends is to be told by `answered` or `failed`.
  ///
  /// - Throws: `host-unavailable` where the origin is given up for now.
  func turn(for url: ResourceURL) async throws -> Turn {
    let origin = url.origin
    while true {
      // Looked at first without a place: it would count towards the host's pace.
      var admission = health.withLock { $0.outlook(origin, now: clock.uptime) }
      if case .start = admission {
        let slot = try await queues.slot(for: url.host)
        admission = health.withLock { $0.admit(origin, now: clock.uptime) }
        if case .start(let isProbe) = admission { return Turn(slot: slot, origin: origin, isProbe: isProbe) }
        slot.release()
      }
      switch admission {
      case .start: continue
      case .wait(let time): try await clock.sleep(for: min(time, Self.longestSleep))
      case .refuse(let time):
        let wait = time > .zero ? ", and is left alone for \(Int(time.inSeconds.rounded(.up))) s more" : ""
        throw PipelineError(
          .transport, .hostUnavailable,
          "\(url.authority) has not answered \(HostHealthState.threshold) times in a row, nor later\(wait)")
      }
    }
  }

  /// Who waits looks again so often: an answer to what was asked earlier may end the wait.
  private static let longestSleep = Duration.seconds(1)

  /// A host has answered; where it has asked to be left alone for a time (Retry-After), no request to it starts for as long
  /// as `HostPatienceState` says.
  func heard(_ host: String, asksFor time: Duration?) {
    guard let pause = patience.withLock({ $0.pause(of: host, asking: time, now: clock.uptime) }) else { return }
    queues.pause(host, for: pause)
  }

  /// The origin has answered, whatever it said.
  func answered(_ turn: Turn) {
    health.withLock { $0.answered(turn.origin) }
  }

  /// A request ended without an answer.
  func failed(_ turn: Turn, _ error: any Error) {
    health.withLock { health in
      switch (error as? PipelineError)?.code {
      case .connect, .timeout, .stalled, .dns, .connectionLost:
        health.failed(turn.origin, isProbe: turn.isProbe, now: clock.uptime)
      case .tls, .protocol: health.answered(turn.origin)
      default: health.abandoned(turn.origin, isProbe: turn.isProbe)
      }
    }
  }
}
