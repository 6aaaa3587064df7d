/// What time it is, and how to wait: the system's clock, or in tests one that is set by hand.
public protocol PipelineClock: Sendable {
  /// The time since some moment, which never goes backwards.
  var uptime: Duration { get }

  /// Seconds since 1970, as the world reckons; may jump.
  var wallTime: Double { get }

  /// Returns after `duration`, or throws when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The clock of the machine.
public struct SystemClock: PipelineClock {
  /// The clock.
  public init() {}

  private static let start = ContinuousClock.now

  /// The time since this was first asked.
  public var uptime: Duration { ContinuousClock.now - Self.start }

  /// The time of day.
  public var wallTime: Double { WallClock.now }

  /// Sleeps.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration)
  }
}
