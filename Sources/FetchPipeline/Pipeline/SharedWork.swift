/// Joins equal work of several tasks: it is done once, for all who ask while it goes on, and ended when the last of them
/// has left.
final class SharedWork<Key: Hashable & Sendable, Context: Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>

  private struct Entry {
    let number: Int
    let context: Context
    let task: Task<Void, Never>
    var tickets: Set<Int> = []
  }

  /// One who asked.
  private struct Ticket {
    let key: Key
    let entry: Int
    var phase = Phase.registered
  }

  private enum Phase {
    case registered
    case waiting(CheckedContinuation<Value, any Error>)
    case over(Outcome)
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var tickets: [Int: Ticket] = [:]
    var last = 0
  }

  private let state = Lock(State())
  private let makeContext: @Sendable () -> Context

  /// - Parameter context: makes what those who share a piece of work have in common.
  init(context: @escaping @Sendable () -> Context) {
    makeContext = context
  }

  /// The result of the work for `key`: of that which goes on, or of `work`, in one step.
  ///
  /// - Parameter join: is given what those who share the work have in common.
  /// - Throws: what the work throws; `CancellationError`, at once, where the calling task is cancelled.
  func value(
    for key: Key, joining join: (Context) -> Void, _ work: @escaping @Sendable (Context) async throws -> Value
  ) async throws -> Value {
    let (ticket, context) = register(key, work)
    join(context)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let outcome = wait(ticket, continuation) { continuation.resume(with: outcome) }
      }
    } onCancel: {
      leave(ticket)
    }
  }

  /// How many have asked and have no answer yet.
  var waiterCount: Int { state.withLock { $0.tickets.count } }

  /// Ends all work that goes on; those who wait get what comes of that.
  func cancelAll() {
    let tasks = state.withLock { state in state.entries.values.map(\.task) }
    for task in tasks { task.cancel() }
  }

  private func register(
    _ key: Key, _ work: @escaping @Sendable (Context) async throws -> Value
  ) -> (ticket: Int, context: Context) {
    state.withLock { state in
      state.last += 1
      let number = state.last
      var entry: Entry
      if let known = state.entries[key] {
        entry = known
      } else {
        let context = makeContext()
        let task = Task {
          let outcome: Outcome
          do { outcome = .success(try await work(context)) } catch { outcome = .failure(error) }
          self.end(key, number, outcome)
        }
        entry = Entry(number: number, context: context, task: task)
      }
      entry.tickets.insert(number)
      state.entries[key] = entry
      state.tickets[number] = Ticket(key: key, entry: entry.number)
      return (number, entry.context)
    }
  }

  /// Notes who waits, unless it is over already.
  private func wait(_ ticket: Int, _ continuation: CheckedContinuation<Value, any Error>) -> Outcome? {
    state.withLock { state in
      guard case .registered? = state.tickets[ticket]?.phase else {
        guard case .over(let outcome)? = state.tickets.removeValue(forKey: ticket)?.phase else {
          return .failure(CancellationError())
        }
        return outcome
      }
      state.tickets[ticket]?.phase = .waiting(continuation)
      return nil
    }
  }

  private func leave(_ number: Int) {
    let (waiter, task) = state.withLock { state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
      // What is over has its result, which is taken.
      guard let ticket = state.tickets[number] else { return (nil, nil) }
      if case .over = ticket.phase { return (nil, nil) }
      state.tickets[number] = nil
      var waiter: CheckedContinuation<Value, any Error>?
      if case .waiting(let continuation) = ticket.phase { waiter = continuation }
      guard var entry = state.entries[ticket.key], entry.number == ticket.entry else { return (waiter, nil) }
      entry.tickets.remove(number)
      // Nobody may join what is about to be ended.
      state.entries[ticket.key] = entry.tickets.isEmpty ? nil : entry
      return (waiter, entry.tickets.isEmpty ? entry.task : nil)
    }
    waiter?.resume(throwing: CancellationError())
    task?.cancel()
  }

  private func end(_ key: Key, _ number: Int, _ outcome: Outcome) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
      guard let entry = state.entries[key], entry.number == number else { return [] }
      state.entries[key] = nil
      var waiters: [CheckedContinuation<Value, any Error>] = []
      for ticket in entry.tickets {
        if case .waiting(let continuation)? = state.tickets[ticket]?.phase {
          waiters.append(continuation)
          state.tickets[ticket] = nil
        } else {
          state.tickets[ticket]?.phase = .over(outcome)
        }
      }
      return waiters
    }
    for waiter in waiters { waiter.resume(with: outcome) }
  }
}

extension SharedWork where Context == Void {
  convenience init() { self.init(context: {}) }

  /// The result of the work for `key`: of that which goes on, or of `work`, in one step.
  func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await value(for: key, joining: { _ in }, { _ in try await work() })
  }
}
