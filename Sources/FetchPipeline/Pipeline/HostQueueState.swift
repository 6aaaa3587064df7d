/// Which request may start: a queue for each host, so that a slow one holds up nobody else, under a limit for each host
/// and one for all.
///
/// A value without I/O: it says which tickets to let go, and `HostQueues` does.
struct HostQueueState {
  /// A request that waits, or is under way.
  typealias Ticket = Int

  private struct Host {
    var active = 0
    var waiting = Queue<Ticket>()
  }

  private let total: Int
  private let perHost: Int
  private var hosts: [String: Host] = [:]
  private var active = 0
  /// Hosts that have both a waiting request and room for it, in turn.
  private var ready = Queue<String>()

  init(connections total: Int, perHost: Int) {
    self.total = max(total, 1)
    self.perHost = max(perHost, 1)
  }

  /// Asks for a place; true where it is given at once, else `ticket` is let go later, or leaves.
  mutating func enter(_ ticket: Ticket, host name: String) -> Bool {
    var host = hosts[name] ?? Host()
    defer { hosts[name] = host }
    if host.waiting.isEmpty, host.active < perHost, active < total {
      host.active += 1
      active += 1
      return true
    }
    host.waiting.append(ticket)
    if host.waiting.count == 1, host.active < perHost { ready.append(name) }
    return false
  }

  /// Gives a place back; returns the tickets that are let go by it.
  mutating func leave(host name: String) -> [Ticket] {
    guard var host = hosts[name], host.active > 0 else { return [] }
    let wasFull = host.active == perHost
    host.active -= 1
    active -= 1
    if wasFull, !host.waiting.isEmpty { ready.append(name) }
    hosts[name] = host.active == 0 && host.waiting.isEmpty ? nil : host
    return letGo()
  }

  /// Takes a waiting ticket out; false where it was let go already.
  mutating func abandon(_ ticket: Ticket, host name: String) -> Bool {
    guard var host = hosts[name], host.waiting.remove(where: { $0 == ticket }) else { return false }
    if host.waiting.isEmpty {
      ready.remove { $0 == name }
      if host.active == 0 {
        hosts[name] = nil
        return true
      }
    }
    hosts[name] = host
    return true
  }

  private mutating func letGo() -> [Ticket] {
    var released: [Ticket] = []
    while active < total, let name = ready.popFirst(), var host = hosts[name] {
      guard let ticket = host.waiting.popFirst() else { continue }
      host.active += 1
      active += 1
      if !host.waiting.isEmpty, host.active < perHost { ready.append(name) }
      hosts[name] = host
      released.append(ticket)
    }
    return released
  }
}

/// First in, first out, without moving what remains at every step.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    head += 1
    if head > 32, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Removes the first element for which `condition` holds; false where there is none.
  @discardableResult
  mutating func remove(where condition: (Element) -> Bool) -> Bool {
    guard let index = elements[head...].firstIndex(where: condition) else { return false }
    elements.remove(at: index)
    return true
  }
}
