/// The share of failures among the last items, and whether it is too large to go on.
struct FailureWindow {
  /// The items that are looked at.
  static let size = 100

  private let limit: Double
  private var outcomes: [Bool] = []
  private var next = 0
  private var failures = 0

  /// - Parameter limit: the largest share that is borne.
  init(limit: Double) {
    self.limit = limit
  }

  /// Notes an item; true where more than the limit of the last hundred have failed.
  mutating func note(failed: Bool) -> Bool {
    if outcomes.count < Self.size {
      outcomes.append(failed)
    } else {
      if outcomes[next] { failures -= 1 }
      outcomes[next] = failed
      next = (next + 1) % Self.size
    }
    if failed { failures += 1 }
    return outcomes.count == Self.size && Double(failures) > limit * Double(Self.size)
  }
}
