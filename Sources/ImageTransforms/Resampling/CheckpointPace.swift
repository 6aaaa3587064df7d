import FetchPipeline

/// Calls a checkpoint every few milliseconds, as far as the work tells: it costs a system call.
struct CheckpointPace {
  /// Multiplications that take about a millisecond.
  private static let workBetween = 4_000_000
  private let checkpoint: DecodeCheckpoint?
  private var pending = 0

  init(_ checkpoint: DecodeCheckpoint?) {
    self.checkpoint = checkpoint
  }

  mutating func done(_ work: Int) throws {
    pending += work
    guard pending >= Self.workBetween else { return }
    pending = 0
    try checkpoint?()
  }
}
