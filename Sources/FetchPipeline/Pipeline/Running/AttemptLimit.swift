/// How many rows may still be tried in a run.
final class AttemptLimit: Sendable {
  private let left: Lock<Int?>

  /// - Parameter count: the most; nil for no limit.
  init(_ count: Int?) {
    left = Lock(count)
  }

  /// Takes one; false where none is left.
  func take() -> Bool {
    left.withLock { left in
      guard let count = left else { return true }
      if count <= 0 { return false }
      left = count - 1
      return true
    }
  }

  /// Whether none is left.
  var isUsedUp: Bool { left.withLock { $0.map { $0 <= 0 } ?? false } }
}

/// A row that is not tried, because as many as wanted have been.
struct AttemptLimitReached: Error {}
