/// How far a run is.
public struct RunProgress: Sendable, Hashable {
  /// The items made in this run.
  public var ok = 0
  /// Those of them of which an earlier run had made something, but not this.
  public var remade = 0
  /// The items that stood already.
  public var skipped = 0
  /// Those of them whose origin has confirmed in this run that they are still right.
  public var confirmed = 0
  /// The items made or standing whose pictures have other names than the template says, since those were taken.
  public var renamed = 0
  /// The items that failed.
  public var failed = 0
  /// Those of them whose failure is one of an earlier run, and for which nothing was tried in this one.
  public var remembered = 0
  /// The bytes of the sources of pictures made, each counted once.
  public var bytesReceived = 0
  /// The bytes of the pictures made, each counted once.
  public var bytesWritten = 0
  /// The rows that have been taken and have no result yet.
  public var inFlight = 0
  /// Whether all rows have been read.
  public var isInputRead = false

  /// Nothing yet.
  public init() {}

  /// The items that have a result.
  public var done: Int { ok + skipped + failed }

  /// The items for which something was done in this run: neither skipped nor remembered to fail.
  public var attempted: Int { ok + failed - remembered }

  mutating func note(_ result: ImageResult) {
    if result.flags.contains(.renamed) { renamed += 1 }
    switch result.status {
    case .ok:
      ok += 1
      if result.isRemade { remade += 1 }
      if result.isRepeated { break }
      bytesReceived += result.source?.byteCount ?? 0
      bytesWritten += result.outputs.reduce(0) { $0 + $1.byteCount }
    case .skipped:
      skipped += 1
      if result.exchange != nil { confirmed += 1 }
    case .failed:
      failed += 1
      if result.isRemembered { remembered += 1 }
    }
  }
}

/// How a run ended.
public struct RunOutcome: Sendable {
  /// What was done.
  public var progress: RunProgress
  /// Why it ended.
  public var ending: Ending

  /// Why a run ended.
  public enum Ending: Sendable, Hashable {
    /// Every row has a result, or as many were tried as were wanted.
    case complete
    /// It was stopped from outside.
    case interrupted
    /// More of the last items have failed than `limits.failureRate` bears.
    case tooManyFailures
  }
}
