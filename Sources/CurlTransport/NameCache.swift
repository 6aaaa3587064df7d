import FetchPipeline

/// The answer to a look-up of a host's name.
enum LookupResult: Equatable, Sendable {
  /// The addresses, in the order in which to try them.
  case addresses([IPAddress])
  /// There is no such name, or it has no address.
  case noSuchName
  /// The look-up failed; it may succeed later.
  case failure(String)
}

/// What is known of host names, who waits for which look-up, and which look-up is next: a value without I/O.
///
/// At most `limit` look-ups run at a time, however many names are wanted: name servers answer storms with silence, and
/// each look-up is a thread. A name is looked up once for all that wait for it.
struct NameCache<Waiter> {
  /// What is known of a name at once.
  enum Answer: Equatable {
    case addresses([IPAddress])
    case noSuchName
    /// The waiter is handed back by `finished`; `isRunning` tells whether its look-up has begun.
    case wait(isRunning: Bool)
  }

  private enum Entry {
    case addresses([IPAddress], until: Moment)
    case noSuchName(until: Moment)
    case pending([Waiter], isRunning: Bool)
  }

  /// As long as libcurl's own cache keeps an address; both bound how stale a connection can be opened.
  static var lifetime: Int64 { 60_000_000_000 }
  private static var sweepAbove: Int { 4096 }

  private let limit: Int
  private var running = 0
  private var entries: [String: Entry] = [:]
  private var queue: [String] = []
  /// Whether any name has been found since the program started.
  private var hasFoundAny = false

  /// The names that are known or wanted.
  var count: Int { entries.count }

  /// An empty cache that runs at most `limit` look-ups at a time.
  init(limit: Int) {
    self.limit = limit
  }

  /// What is known of `name`; where nothing is, `waiter` waits for it.
  mutating func ask(_ name: String, for waiter: Waiter, at now: Moment) -> Answer {
    switch entries.removeValue(forKey: name) {
    case .addresses(let addresses, let until) where until > now:
      entries[name] = .addresses(addresses, until: until)
      return .addresses(addresses)
    case .noSuchName(let until) where until > now:
      entries[name] = .noSuchName(until: until)
      return .noSuchName
    case .pending(let waiters, let isRunning):
      entries[name] = .pending(waiters + [waiter], isRunning: isRunning)
      return .wait(isRunning: isRunning)
    default:
      entries[name] = .pending([waiter], isRunning: false)
      queue.append(name)
      return .wait(isRunning: false)
    }
  }

  /// The next name to look up, and who waits for it; nil where enough look-ups run.
  mutating func nextLookup() -> (name: String, waiters: [Waiter])? {
    guard running < limit, !queue.isEmpty else { return nil }
    let name = queue.removeFirst()
    guard case .pending(let waiters, _) = entries[name] else { return nil }
    running += 1
    entries[name] = .pending(waiters, isRunning: true)
    return (name, waiters)
  }

  /// What a result is worth: where no name has been found yet, "no such name" may only mean that there is no network, and
  /// is no reason to give a name up for good.
  mutating func judged(_ result: LookupResult) -> LookupResult {
    switch result {
    case .addresses: hasFoundAny = true
    case .noSuchName where !hasFoundAny:
      return .failure("there is no such name, or no network: no name at all has been found so far")
    default: break
    }
    return result
  }

  /// Takes the result of a look-up, and returns those who waited for it.
  mutating func finished(_ name: String, _ result: LookupResult, at now: Moment) -> [Waiter] {
    guard case .pending(let waiters, true) = entries.removeValue(forKey: name) else { return [] }
    running -= 1
    switch result {
    case .addresses(let addresses): entries[name] = .addresses(addresses, until: now + Self.lifetime)
    case .noSuchName: entries[name] = .noSuchName(until: now + Self.lifetime)
    case .failure: break
    }
    if entries.count > Self.sweepAbove { sweep(at: now) }
    return waiters
  }

  /// Keeps what is pending, and what still holds; all of what holds goes where it alone is too much.
  private mutating func sweep(at now: Moment) {
    func kept(_ entry: Entry, _ isKept: (Moment) -> Bool) -> Bool {
      switch entry {
      case .pending: true
      case .addresses(_, let until), .noSuchName(let until): isKept(until)
      }
    }
    entries = entries.filter { kept($0.value) { $0 > now } }
    if entries.count > Self.sweepAbove { entries = entries.filter { kept($0.value) { _ in false } } }
  }
}
