import FetchPipeline

/// Who may have a connection: at most so many in all and for each authority; the others wait, in order.
///
/// A value without I/O. Among authorities those that wait take turns.
struct ConnectionGate<Item> {
  private let limit: Int
  private let limitPerAuthority: Int
  private var total = 0
  private var counts: [String: Int] = [:]
  private var queues: [String: Queue<Item>] = [:]
  private var turns: [String] = []

  /// A gate with nobody behind it. Both limits are at least 1.
  init(limit: Int, limitPerAuthority: Int) {
    self.limit = max(limit, 1)
    self.limitPerAuthority = max(limitPerAuthority, 1)
  }

  /// Lets an item in, or queues it; whether it is in.
  mutating func enter(_ item: Item, authority: String) -> Bool {
    if queues[authority] == nil, hasRoom(for: authority) {
      total += 1
      counts[authority, default: 0] += 1
      return true
    }
    if queues[authority] == nil { turns.append(authority) }
    queues[authority, default: Queue<Item>()].append(item)
    return false
  }

  /// An item of the authority has gone; returns the ones that are in for it.
  mutating func leave(authority: String) -> [Item] {
    guard let count = counts[authority] else { return [] }
    total -= 1
    counts[authority] = count > 1 ? count - 1 : nil
    var admitted: [Item] = []
    while let index = turns.firstIndex(where: hasRoom), let item = dequeue(turnAt: index) { admitted.append(item) }
    return admitted
  }

  /// Empties the queues.
  mutating func removeWaiting() -> [Item] {
    defer {
      queues = [:]
      turns = []
    }
    return turns.flatMap { queues[$0]?.waiting ?? [] }
  }

  private func hasRoom(for authority: String) -> Bool {
    total < limit && counts[authority, default: 0] < limitPerAuthority
  }

  private mutating func dequeue(turnAt index: Int) -> Item? {
    let authority = turns.remove(at: index)
    guard var queue = queues.removeValue(forKey: authority), let item = queue.popFirst() else { return nil }
    if !queue.isEmpty {
      queues[authority] = queue
      turns.append(authority)
    }
    total += 1
    counts[authority, default: 0] += 1
    return item
  }
}
