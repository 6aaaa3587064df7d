/// Which request may start: a queue for each host, so that a slow one holds up nobody else, under a limit for each host
/// and one for all, and no faster than a host may be asked.
///
/// A value without I/O or clock: times are given, and it says which tickets to let go; `HostQueues` does.
struct HostQueueState {
  /// A request that waits, or is under way.
  typealias Ticket = Int

  private struct Host {
    var active = 0
    var waiting = Queue<Ticket>()
    /// When the next request may start.
    var notBefore = Duration.zero
  }

  private let total: Int
  private let perHost: Int
  /// The time between the starts of two requests to one host; zero for no limit.
  private let interval: Duration
  private var hosts: [String: Host] = [:]
  private var active = 0
  /// Hosts that have both a waiting request and room for it, in turn.
  private var ready = Queue<String>()
  /// Such hosts whose next request may not start yet.
  private var paused: Set<String> = []

  /// - Parameter rate: the most requests a second to one host; nil for no limit.
  init(connections total: Int, perHost: Int, requestsPerSecond rate: Double? = nil) {
    self.total = max(total, 1)
    self.perHost = max(perHost, 1)
    interval = rate.map { $0 > 0 ? .seconds(1 / $0) : .zero } ?? .zero
  }

  /// When `tick` is to be called, because a host may be asked again then.
  var nextTick: Duration? { paused.compactMap { hosts[$0]?.notBefore }.min() }

  /// Asks for a place; true where it is given at once, else `ticket` is let go later, or leaves.
  mutating func enter(_ ticket: Ticket, host name: String, now: Duration = .zero) -> Bool {
    var host = hosts[name] ?? Host()
    if host.waiting.isEmpty, host.active < perHost, active < total, host.notBefore <= now {
      start(&host, now: now)
      hosts[name] = host
      return true
    }
    host.waiting.append(ticket)
    hosts[name] = host
    if host.waiting.count == 1, host.active < perHost { queue(name, host, now: now) }
    return false
  }

  /// Gives a place back; returns the tickets that are let go by it.
  mutating func leave(host name: String, now: Duration = .zero) -> [Ticket] {
    guard var host = hosts[name], host.active > 0 else { return [] }
    let wasFull = host.active == perHost
    host.active -= 1
    active -= 1
    hosts[name] = host
    if wasFull, !host.waiting.isEmpty { queue(name, host, now: now) }
    forget(name, now: now)
    return letGo(now: now)
  }

  /// Takes a waiting ticket out; false where it was let go already.
  mutating func abandon(_ ticket: Ticket, host name: String, now: Duration = .zero) -> Bool {
    guard var host = hosts[name], host.waiting.remove(where: { $0 == ticket }) else { return false }
    hosts[name] = host
    if host.waiting.isEmpty {
      ready.remove { $0 == name }
      paused.remove(name)
      forget(name, now: now)
    }
    return true
  }

  /// Lets no request to a host start before so much time has passed: it has asked for that.
  mutating func pause(_ name: String, for duration: Duration, now: Duration) {
    var host = hosts[name] ?? Host()
    host.notBefore = max(host.notBefore, now + duration)
    hosts[name] = host
    if ready.remove(where: { $0 == name }) { paused.insert(name) }
  }

  /// Time has passed; returns the tickets that are let go by it.
  mutating func tick(now: Duration) -> [Ticket] {
    for name in paused.sorted() {
      guard let host = hosts[name], host.notBefore <= now else { continue }
      paused.remove(name)
      ready.append(name)
    }
    return letGo(now: now)
  }

  private mutating func letGo(now: Duration) -> [Ticket] {
    var released: [Ticket] = []
    while active < total, let name = ready.popFirst(), var host = hosts[name] {
      guard let ticket = host.waiting.popFirst() else { continue }
      start(&host, now: now)
      hosts[name] = host
      if !host.waiting.isEmpty, host.active < perHost { queue(name, host, now: now) }
      released.append(ticket)
    }
    return released
  }

  private mutating func start(_ host: inout Host, now: Duration) {
    host.active += 1
    active += 1
    if interval > .zero { host.notBefore = max(host.notBefore, now) + interval }
  }

  private mutating func queue(_ name: String, _ host: Host, now: Duration) {
    if host.notBefore > now { paused.insert(name) } else { ready.append(name) }
  }

  /// Drops what says nothing about a host any more. (A pause of a host that nobody asks for is dropped when it is over and
  /// somebody does.)
  private mutating func forget(_ name: String, now: Duration) {
    guard let host = hosts[name], host.active == 0, host.waiting.isEmpty, host.notBefore <= now else { return }
    hosts[name] = nil
  }
}
