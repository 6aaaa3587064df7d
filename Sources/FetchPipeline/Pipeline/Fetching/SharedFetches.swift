/// The fetches of single requests: those who ask for one source at the same time share one, whatever each makes of it.
final class SharedFetches: Sendable {
  /// A source, as each of those who share its fetch has it.
  struct Source: Sendable {
    let fetched: Fetcher.Fetched
    /// How long the fetch took.
    let time: Duration
  }

  private let work = SharedWork<SourceKey, ActivityRelay, Source>(context: { ActivityRelay() })

  /// How many wait for fetches.
  var waiterCount: Int { work.waiterCount }

  /// Ends all fetches; those who wait get `CancellationError`.
  func cancelAll() { work.cancelAll() }

  /// The source for `key`.
  ///
  /// - Parameters:
  ///   - hear: told what the time of those depends on who wait for the fetch.
  ///   - fetch: fetches it, where nobody does already.
  func source(
    for key: SourceKey, hearing hear: @escaping @Sendable (ItemActivity) -> Void,
    _ fetch: @escaping @Sendable (FetchTrace) async throws -> Fetcher.Fetched
  ) async throws -> Source {
    let source = try await work.value(for: key, joining: { $0.join(hear) }) { relay in
      let trace = FetchTrace { relay.tell($0) }
      let fetched = try await fetch(trace)
      return Source(fetched: fetched, time: trace.elapsed)
    }
    // Each lets go of the bytes when it has decoded them.
    return Source(fetched: source.fetched.sharingBody(), time: source.time)
  }
}

/// Tells several of the activities of what they share, those too who come later.
final class ActivityRelay: Sendable {
  private struct State {
    var hasBegun = false
    var isWaiting = false
    var listeners: [@Sendable (ItemActivity) -> Void] = []
  }

  private let state = Lock(State())

  func join(_ listener: @escaping @Sendable (ItemActivity) -> Void) {
    state.withLock { state in
      state.listeners.append(listener)
      if state.hasBegun { listener(.begins) }
      if state.isWaiting { listener(.waits) }
    }
  }

  func tell(_ activity: ItemActivity) {
    state.withLock { state in
      switch activity {
      case .begins: state.hasBegun = true
      case .waits: state.isWaiting = true
      case .goesOn: state.isWaiting = false
      }
      for listener in state.listeners { listener(activity) }
    }
  }
}
