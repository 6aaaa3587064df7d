/// Lets a run be stopped from outside, by a signal for example.
public final class RunControl: Sendable {
  private struct State {
    var isStopping = false
    var onStop: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// A control of a run that goes on.
  public init() {}

  /// Whether no new item is begun.
  public var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Begins no new item; those in hand may finish within ten seconds, and then are ended.
  public func stop() {
    let action = state.withLock { state in
      defer {
        state.isStopping = true
        state.onStop = nil
      }
      return state.onStop
    }
    action?()
  }

  /// Sets what is done once when the run is stopped; at once where it has been.
  func onStop(_ action: @escaping @Sendable () -> Void) {
    let isStopping = state.withLock { state in
      if !state.isStopping { state.onStop = action }
      return state.isStopping
    }
    if isStopping { action() }
  }
}
