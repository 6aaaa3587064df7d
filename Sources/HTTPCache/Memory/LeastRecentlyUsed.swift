/// Values by key, of which those used longest ago go when there is no more room.
///
/// Every operation takes a time that does not depend on how many there are.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  /// The most that the costs may add up to.
  let capacity: Int
  /// What they add up to.
  private(set) var cost = 0

  private struct Node {
    var key: Key
    var value: Value
    var cost: Int
    var older: Int?
    var newer: Int?
  }

  private var indices: [Key: Int] = [:]
  /// A list that is linked both ways; nil where a place is free.
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var oldest: Int?
  private var newest: Int?

  init(capacity: Int) {
    self.capacity = capacity
  }

  var count: Int { indices.count }

  /// The values, the one used longest ago first.
  var values: [Value] {
    var values: [Value] = []
    var next = oldest
    while let index = next, let node = nodes[index] {
      values.append(node.value)
      next = node.newer
    }
    return values
  }

  /// The value of a key, which has now been used.
  mutating func use(_ key: Key) -> Value? {
    guard let index = indices[key] else { return nil }
    if newest != index {
      unlink(index)
      linkAsNewest(index)
    }
    return nodes[index]?.value
  }

  /// Changes the value of a key, where there is one, without using it.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard let index = indices[key], var node = nodes[index] else { return }
    change(&node.value)
    nodes[index] = node
  }

  /// Sets the value of a key; one that costs more than all may cost is not kept, and the older one goes.
  ///
  /// - Returns: what had to go.
  @discardableResult
  mutating func set(_ key: Key, _ value: Value, cost: Int) -> [Value] {
    var gone = remove(key).map { [$0] } ?? []
    guard cost <= capacity else { return gone }
    while self.cost > capacity - cost, let index = oldest, let node = nodes[index] {
      if let value = remove(node.key) { gone.append(value) }
    }
    let node = Node(key: key, value: value, cost: cost)
    let index: Int
    if let place = free.popLast() {
      index = place
      nodes[index] = node
    } else {
      index = nodes.count
      nodes.append(node)
    }
    indices[key] = index
    self.cost += cost
    linkAsNewest(index)
    return gone
  }

  /// Removes a key and returns its value.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let index = indices.removeValue(forKey: key), let node = nodes[index] else { return nil }
    unlink(index)
    nodes[index] = nil
    free.append(index)
    cost -= node.cost
    return node.value
  }

  /// Removes everything.
  mutating func removeAll() {
    self = LeastRecentlyUsed(capacity: capacity)
  }

  private mutating func unlink(_ index: Int) {
    guard let node = nodes[index] else { return }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
  }

  private mutating func linkAsNewest(_ index: Int) {
    nodes[index]?.older = newest
    nodes[index]?.newer = nil
    if let newest { nodes[newest]?.newer = index } else { oldest = index }
    newest = index
  }
}
