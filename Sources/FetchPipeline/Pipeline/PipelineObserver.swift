/// Hears what a pipeline does: for logs, metrics and traces.
public protocol PipelineObserver: Sendable {
  /// Something has happened. Called on any thread, also at the same time; must not block.
  func observe(_ event: PipelineEvent)
}

/// Something that happened in a pipeline.
public enum PipelineEvent: Sendable {
  /// Work on an item has begun.
  case started(id: String, url: String)
  /// An exchange is tried again after a wait, because of an answer's status or of an error.
  case retrying(url: ResourceURL, status: Int?, error: PipelineError?, wait: Duration)
  /// An exchange is over: an answer came, or an error, after a while.
  case exchanged(method: String, url: ResourceURL, status: Int?, error: PipelineError?, bytes: Int?, duration: Duration)
  /// An item has a result.
  case finished(ImageResult)
  /// Something that a person should know, and that costs no item.
  case warning(String)
}

/// Hears nothing.
public struct SilentObserver: PipelineObserver {
  /// An observer.
  public init() {}

  /// Does nothing.
  public func observe(_ event: PipelineEvent) {}
}

/// Hands events on to several observers.
public struct ObserverList: PipelineObserver {
  private let observers: [any PipelineObserver]

  /// A list; the first hears first.
  public init(_ observers: [any PipelineObserver]) {
    self.observers = observers
  }

  /// Hands the event on.
  public func observe(_ event: PipelineEvent) {
    for observer in observers { observer.observe(event) }
  }
}
