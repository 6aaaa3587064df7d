/// How many items are in hand at a time: what keeps memory independent of the list's length.
final class AdmissionWindow: Sendable {
  private struct State {
    var free: Int
    var waiting: CheckedContinuation<Void, Never>?
    var draining: CheckedContinuation<Void, Never>?
  }

  private let capacity: Int
  private let state: Lock<State>

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    state = Lock(State(free: self.capacity))
  }

  /// Takes a place for an item, when there is one. One caller at a time.
  func enter() async {
    await withCheckedContinuation { continuation in
      let enters = state.withLock { state in
        guard state.free > 0 else {
          state.waiting = continuation
          return false
        }
        state.free -= 1
        return true
      }
      if enters { continuation.resume() }
    }
  }

  /// Gives a place back.
  func leave() {
    let (next, drained) = state.withLock {
      state -> (CheckedContinuation<Void, Never>?, CheckedContinuation<Void, Never>?) in
      if let next = state.waiting {
        state.waiting = nil
        return (next, nil)
      }
      state.free += 1
      guard state.free == capacity else { return (nil, nil) }
      defer { state.draining = nil }
      return (nil, state.draining)
    }
    next?.resume()
    drained?.resume()
  }

  /// Returns when no item is in hand. Nobody may enter meanwhile.
  func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.free == capacity { return true }
        state.draining = continuation
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }
}
