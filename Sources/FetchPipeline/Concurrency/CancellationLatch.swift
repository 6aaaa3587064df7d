import Synchronization

/// Says, to code that runs outside any task, that its task has been cancelled. Once set it stays set.
public final class CancellationLatch: Sendable {
  private let flag = Atomic(false)

  /// A latch that is not set.
  public init() {}

  /// Whether it has been set.
  public var isCancelled: Bool { flag.load(ordering: .acquiring) }

  /// Sets it.
  public func cancel() { flag.store(true, ordering: .releasing) }
}
