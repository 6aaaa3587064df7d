/// What the time of an item depends on.
enum ItemActivity: Sendable {
  /// Something is done for the item, for the first time or once more.
  case begins
  /// The item waits until a host may be asked.
  case waits
  /// It need not wait any more.
  case goesOn
}

/// The time of one item: from its first activity on, all but the waits for its turn at a host.
///
/// A queue, a pace and a pause (Retry-After) are what politeness towards the host costs, not what the item does: they count
/// neither before its first request nor before that of a later hop or attempt. Such a wait has an end all the same: nobody
/// stands in a queue but the items under way, each of which has its own time for its turn, and a pause is at most
/// `transport.retry.maxBackoff`; an origin that is suspected answers or is given up after a few probes. Everything else
/// counts: connecting, receiving, waits between attempts that no server asked for, waits for memory and a worker, making,
/// writing.
///
/// A value without a clock: times are given.
struct ItemTime {
  private var past = Duration.zero
  /// Since when time counts; nil before the first activity and during waits.
  private var start: Duration?
  private(set) var hasBegun = false
  /// Whether the item waits for its turn.
  private(set) var isWaiting = false

  /// Something has become of the item.
  mutating func note(_ activity: ItemActivity, at now: Duration) {
    switch activity {
    case .begins:
      hasBegun = true
      if start == nil, !isWaiting { start = now }
    case .waits:
      if let start { past += now - start }
      start = nil
      isWaiting = true
    case .goesOn:
      isWaiting = false
      if hasBegun { start = now }
    }
  }

  /// The time so far; nil before the first activity.
  func elapsed(at now: Duration) -> Duration? {
    hasBegun ? past + (start.map { now - $0 } ?? .zero) : nil
  }
}

extension PipelineError {
  /// What took longer than an item may.
  static func outOfTime(_ what: String, limit: Duration) -> PipelineError {
    let seconds = JSONNumber(limit.inSeconds, decimals: 3).text
    return PipelineError(.transport, .timeout, "\(what) took more than \(seconds) s (limits.itemTime)")
  }

  /// A stage has thrown `CancellationError` though nobody has cancelled: a time limit of its own, perhaps.
  static var gaveUp: PipelineError {
    PipelineError(
      .plugin, .plugin, "a stage gave up (CancellationError), though nobody cancelled it", isTransient: true)
  }
}
