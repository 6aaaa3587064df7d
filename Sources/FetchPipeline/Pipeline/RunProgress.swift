/// How far a run is.
public struct RunProgress: Sendable, Hashable {
  /// The rows read so far.
  public var read = 0
  /// The items made in this run.
  public var ok = 0
  /// The items that stood already.
  public var skipped = 0
  /// The items that failed.
  public var failed = 0
  /// Those of them whose failure is one of an earlier run, and for which nothing was tried in this one.
  public var remembered = 0
  /// The bytes of the bodies received.
  public var bytesReceived = 0
  /// The bytes of the pictures written.
  public var bytesWritten = 0
  /// Whether all rows have been read.
  public var isInputRead = false

  /// Nothing yet.
  public init() {}

  /// The items that have a result.
  public var done: Int { ok + skipped + failed }
}

/// How a run ended.
public struct RunOutcome: Sendable {
  /// What was done.
  public var progress: RunProgress
  /// Whether it was stopped before all rows had a result.
  public var isInterrupted: Bool
}
