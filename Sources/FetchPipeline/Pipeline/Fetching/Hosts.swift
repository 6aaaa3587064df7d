/// What is known of hosts during a run: whose turn it is, how fast they may be asked, and which are given up for a while.
final class Hosts: Sendable {
  private let queues: HostQueues
  private let health = Lock(HostHealthState())
  private let patience: Lock<HostPatienceState>
  private let clock: any PipelineClock

  init(_ options: TransportOptions, clock: any PipelineClock) {
    queues = HostQueues(options, clock: clock)
    patience = Lock(HostPatienceState(options.retry))
    self.clock = clock
  }

  /// Waits for the turn of a request to `host`, and returns its place.
  ///
  /// - Throws: `host-unavailable` where the host is given up for now.
  func turn(for host: String) async throws -> HostSlot {
    let slot = try await queues.slot(for: host)
    guard let pause = health.withLock({ $0.admit(host, now: clock.uptime) }) else { return slot }
    slot.release()
    let wait = pause > .zero ? ", and is left alone for \(Int(pause.inSeconds.rounded(.up))) s more" : ""
    throw PipelineError(
      .transport, .hostUnavailable, "\(host) has not answered \(HostHealthState.threshold) times in a row\(wait)")
  }

  /// A host has answered; where it has asked to be left alone for a time (Retry-After), no request to it starts for as long
  /// as `HostPatienceState` says.
  func heard(_ host: String, asksFor time: Duration?) {
    guard let pause = patience.withLock({ $0.pause(of: host, asking: time, now: clock.uptime) }) else { return }
    queues.pause(host, for: pause)
  }

  /// The host has answered, whatever it said.
  func answered(_ host: String) {
    health.withLock { $0.answered(host) }
  }

  /// A request to the host ended without an answer.
  func failed(_ host: String, _ error: any Error) {
    let isSilence =
      switch (error as? PipelineError)?.code {
      case .connect, .timeout, .stalled, .dns, .connectionLost: true
      default: false
      }
    health.withLock { isSilence ? $0.failed(host, now: clock.uptime) : $0.abandoned(host) }
  }
}
