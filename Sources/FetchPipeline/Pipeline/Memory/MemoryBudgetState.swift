/// Who may hold how much memory: one ceiling for the bodies that are received and the pixels that are made of them.
///
/// A value without I/O: it says which tickets are granted, and `MemoryBudget` lets them go on. It cannot come to a
/// standstill, because each step can always be finished by what holds memory already:
/// - Pixels are asked for once, for a whole decode, which then ends by itself.
/// - Bodies hold at most half. One of known length asks once for all of it; one of unknown length asks for a little and,
///   if that is not enough, once for a share of the half that is left to those. Whoever has the share can end with it, or
///   outgrows it.
/// - A body that outgrows the share asks once more, for as much as it may ever need. It waits until no decode and no
///   complete body is left, and whatever else is received waits for memory too; no new body is let in meanwhile. So it
///   waits only for what ends by itself. It is then the only one that goes on: it holds more than a share, so that neither
///   a new body nor an extension is granted beside it, and as all receivers but one wait, no second one outgrows its share.
///   It can be received whole, and decoded, without anything from the others.
/// - A decode that needs more than the other half waits until everything else has ended; no new body is let in meanwhile.
///
/// The last two are granted too when nothing is left but bodies that wait for more. Only then the ceiling can be exceeded,
/// by what those hold: at most half of it, as a rule the first parts of a few bodies.
struct MemoryBudgetState {
  typealias Ticket = Int

  /// What is asked for.
  enum Request: Hashable {
    /// A body that starts: all of it where its length is known, else the first part.
    case admit(bytes: Int)
    /// A body that turns out longer than its first part.
    case extend(bytes: Int)
    /// A body that turns out longer than the share of those that are extended, and holds `held` bytes already.
    case outgrow(bytes: Int, held: Int)
    /// A decode, whose body holds `body` bytes already.
    case pixels(bytes: Int, body: Int)

    /// What the item holds when it is granted.
    var bytes: Int {
      switch self {
      case .admit(let bytes), .extend(let bytes): return bytes
      case .pixels(let bytes, let held), .outgrow(let bytes, let held):
        let (sum, overflow) = bytes.addingReportingOverflow(held)
        return overflow ? Int.max : sum
      }
    }
  }

  /// The ceiling.
  let total: Int
  /// The most that bodies hold, but for a lone one.
  let bodyLimit: Int
  /// The part of `bodyLimit` that is left to bodies which have to be extended.
  let extensionShare: Int
  /// The bytes of received bodies from which on no new one is let in.
  let readAhead: Int
  /// The most bytes that a body may ever need.
  let longestBody: Int

  /// What bodies hold.
  private(set) var bodies = 0
  /// What decodes hold.
  private(set) var pixels = 0
  /// What received bodies hold that no decode has begun with.
  private(set) var waitingBodies = 0
  /// The bodies that are being received.
  private var receiving = 0
  /// The bodies that are complete and held.
  private var complete = 0

  private var admissions = Queue<(ticket: Ticket, bytes: Int)>()
  private var extensions = Queue<(ticket: Ticket, bytes: Int)>()
  private var outgrowths = Queue<(ticket: Ticket, bytes: Int)>()
  private var decodes = Queue<(ticket: Ticket, bytes: Int)>()
  private var largeDecodes = Queue<(ticket: Ticket, bytes: Int)>()

  init(total: Int, readAhead: Int, longestBody: Int) {
    self.total = total
    self.readAhead = readAhead
    bodyLimit = total / 2
    extensionShare = min(longestBody, bodyLimit / 2)
    self.longestBody = min(longestBody, total)
  }

  /// What a body asks for that holds `held` bytes and needs `needed`.
  func growth(from held: Int, to needed: Int, isExtended: Bool) -> Request {
    if !isExtended, needed - held <= extensionShare, held + extensionShare <= bodyLimit {
      return .extend(bytes: extensionShare)
    }
    return .outgrow(bytes: max(needed, longestBody) - held, held: held)
  }

  /// Whether a request can be granted at all, if only when nothing else is going on.
  func isPossible(_ request: Request) -> Bool {
    switch request {
    case .admit(let bytes): bytes <= total
    case .extend(let bytes): bytes <= extensionShare
    case .pixels(let bytes, let held), .outgrow(let bytes, let held): bytes <= total - min(held, total)
    }
  }

  /// Asks. Returns the tickets that are granted by it: this one or, rarely, another; what is not granted at once is
  /// granted later, or withdraws.
  mutating func ask(_ ticket: Ticket, _ request: Request) -> [Ticket] {
    switch request {
    case .admit(let bytes): admissions.append((ticket, bytes))
    case .extend(let bytes): extensions.append((ticket, bytes))
    case .outgrow(let bytes, _): outgrowths.append((ticket, bytes))
    case .pixels(let bytes, _):
      if bytes <= total - bodyLimit { decodes.append((ticket, bytes)) } else { largeDecodes.append((ticket, bytes)) }
    }
    return grant()
  }

  /// Takes a request back that was not granted. Returns the tickets that are granted by it.
  mutating func withdraw(_ ticket: Ticket) -> [Ticket] {
    _ =
      admissions.remove { $0.ticket == ticket } || extensions.remove { $0.ticket == ticket }
      || outgrowths.remove { $0.ticket == ticket } || decodes.remove { $0.ticket == ticket }
      || largeDecodes.remove { $0.ticket == ticket }
    return grant()
  }

  /// A body that holds `held` bytes is complete, and `count` bytes long. Returns the tickets that are granted by it.
  mutating func complete(held: Int, count: Int) -> [Ticket] {
    bodies -= held - count
    waitingBodies += count
    receiving -= 1
    complete += 1
    return grant()
  }

  /// A decode of a complete body of `count` bytes begins.
  mutating func begin(count: Int) -> [Ticket] {
    waitingBodies -= count
    return grant()
  }

  /// A body is given up: one that is being received, or a complete one.
  mutating func release(body held: Int, isReceiving: Bool) -> [Ticket] {
    bodies -= held
    if isReceiving { receiving -= 1 } else { complete -= 1 }
    return grant()
  }

  /// A decode has ended.
  mutating func release(pixels held: Int) -> [Ticket] {
    pixels -= held
    return grant()
  }

  private mutating func grant() -> [Ticket] {
    var granted: [Ticket] = []
    while let next = decodes.first, pixels + next.bytes <= total - max(bodyLimit, bodies) || pixels == 0 {
      _ = decodes.popFirst()
      pixels += next.bytes
      granted.append(next.ticket)
    }
    while let next = extensions.first, bodies + next.bytes <= bodyLimit, fits(next.bytes) {
      _ = extensions.popFirst()
      bodies += next.bytes
      granted.append(next.ticket)
    }
    // Alone; or when all that holds memory waits for more of it, so that nothing would end by itself.
    let isAtStandstill = receiving == extensions.count + outgrowths.count
    if let next = outgrowths.first, decodes.isEmpty, largeDecodes.isEmpty, pixels == 0, complete == 0, isAtStandstill {
      _ = outgrowths.popFirst()
      bodies += next.bytes
      granted.append(next.ticket)
    }
    if let next = largeDecodes.first, decodes.isEmpty, pixels == 0, fits(next.bytes) || isAtStandstill {
      _ = largeDecodes.popFirst()
      pixels += next.bytes
      granted.append(next.ticket)
    }
    while let next = admissions.first, largeDecodes.isEmpty, outgrowths.isEmpty, waitingBodies <= readAhead,
      fits(next.bytes), bodies + next.bytes <= bodyLimit - extensionShare || bodies == 0
    {
      _ = admissions.popFirst()
      bodies += next.bytes
      receiving += 1
      granted.append(next.ticket)
    }
    return granted
  }

  private func fits(_ bytes: Int) -> Bool { bodies + pixels + bytes <= total }
}
