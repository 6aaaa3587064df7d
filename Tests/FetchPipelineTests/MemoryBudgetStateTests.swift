import Testing

@testable import FetchPipeline

/// Who may hold how much memory, and that everybody gets on.
struct MemoryBudgetStateTests {
  @Test func bodiesHoldAtMostHalf() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 100)
    check(state.ask(1, .admit(bytes: 300)), [1])
    check(state.ask(2, .admit(bytes: 100)), [2])
    check(state.ask(3, .admit(bytes: 1)), [])  // 400 of 500, and 100 are left to bodies that grow
    check(state.ask(4, .extend(bytes: 100)), [4])
    #expect(state.bodies == 500)
  }

  @Test func theOrderOfArrivalIsKept() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 0)
    check(state.ask(1, .admit(bytes: 400)), [1])
    check(state.ask(2, .admit(bytes: 300)), [])
    check(state.ask(3, .admit(bytes: 10)), [])  // would fit, and waits behind the other
    check(state.release(body: 400, isReceiving: true), [2, 3])
  }

  @Test func receivedBodiesHoldUpNewOnes() {
    var state = MemoryBudgetState(total: 1000, readAhead: 50, longestBody: 0)
    check(state.ask(1, .admit(bytes: 60)), [1])
    check(state.complete(held: 60, count: 60), [])
    check(state.ask(2, .admit(bytes: 1)), [])
    check(state.begin(count: 60), [2])
  }

  @Test func aLargeDecodeWaitsForTheRestAndLetsNoNewBodyIn() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 0)
    check(state.ask(1, .admit(bytes: 100)), [1])
    check(state.ask(2, .admit(bytes: 100)), [2])
    _ = state.complete(held: 100, count: 100)
    check(state.ask(3, .pixels(bytes: 900, body: 100)), [])  // 900 and 200 of bodies
    check(state.ask(4, .admit(bytes: 1)), [])
    check(state.release(body: 100, isReceiving: true), [3])
    check(state.release(pixels: 900), [4])
  }

  @Test func whatNeverFitsIsKnown() {
    let state = MemoryBudgetState(total: 1000, readAhead: 0, longestBody: 600)
    #expect(state.isPossible(.admit(bytes: 1000)))
    #expect(!state.isPossible(.admit(bytes: 1001)))
    #expect(state.isPossible(.pixels(bytes: 900, body: 100)))
    #expect(!state.isPossible(.pixels(bytes: 901, body: 100)))
    #expect(state.isPossible(.extend(bytes: 250)))
    #expect(!state.isPossible(.extend(bytes: 251)))
  }

  @Test func aLoneBodyOfUnknownLengthGrowsAsFarAsOneOfKnownLength() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 2000)
    check(state.ask(1, .admit(bytes: 10)), [1])
    let first = state.growth(from: 10, to: 20, isExtended: false)
    #expect(first == .extend(bytes: 250))
    check(state.ask(1, first), [1])
    let second = state.growth(from: 260, to: 300, isExtended: true)
    #expect(second == .outgrow(bytes: 740, held: 260))
    check(state.ask(1, second), [1])
    #expect(state.bodies == 1000)
    #expect(!state.isPossible(state.growth(from: 1000, to: 1001, isExtended: true)))
  }

  @Test func aBodyThatOutgrowsItsShareWaitsForTheRestAndLetsNoNewBodyIn() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 1000)
    for ticket in 1...3 { check(state.ask(ticket, .admit(bytes: 10)), [ticket]) }
    check(state.ask(1, .extend(bytes: 250)), [1])
    check(state.ask(1, state.growth(from: 260, to: 500, isExtended: true)), [])
    check(state.ask(4, .admit(bytes: 10)), [])
    check(state.complete(held: 10, count: 10), [])  // 2, which is still to be decoded
    check(state.ask(3, .extend(bytes: 250)), [])  // 1 has the share
    check(state.begin(count: 10), [])
    check(state.release(body: 10, isReceiving: false), [1])
    check(state.complete(held: 1000, count: 500), [])
    check(state.ask(5, .pixels(bytes: 500, body: 500)), [5])
    _ = state.begin(count: 500)
    check(state.release(pixels: 500), [])
    check(state.release(body: 500, isReceiving: false), [3])
    check(state.complete(held: 260, count: 20), [4])
  }

  @Test func ofSeveralThatOutgrowTheirSharesOneGoesOnAtATime() {
    var state = MemoryBudgetState(total: 1000, readAhead: 1000, longestBody: 1000)
    // Both are longer than was announced.
    check(state.ask(1, .admit(bytes: 120)), [1])
    check(state.ask(2, .admit(bytes: 120)), [2])
    check(state.ask(1, state.growth(from: 120, to: 600, isExtended: false)), [])
    check(state.ask(2, state.growth(from: 120, to: 600, isExtended: false)), [1])
    check(state.release(body: 1000, isReceiving: true), [2])
    #expect(state.bodies == 1000)
  }

  /// Items with bodies of known and unknown length and decodes of any size, in any order, some of which are given up while
  /// they wait: all come to their end, and the ceiling holds but for the one stated exception.
  @Test(arguments: 1...200) func nobodyIsLeftBehind(seed: UInt64) {
    var simulation = BudgetSimulation(seed: seed)
    simulation.run()
    #expect(simulation.finished == simulation.items)
    #expect(simulation.state.bodies == 0)
    #expect(simulation.state.pixels == 0)
    #expect(simulation.state.waitingBodies == 0)
    #expect(simulation.peak <= simulation.state.total + simulation.state.bodyLimit)
  }
}

/// Plays items against the state, choosing at random whose turn it is.
private struct BudgetSimulation {
  enum Step {
    case admit
    case grow
    case complete
    case begin
    case pixels
    case end
  }

  struct Item {
    var steps: [Step]
    var held = 0
    var isExtended = false
    var isReceiving = false
    /// What it waits for.
    var request: MemoryBudgetState.Request?
    let first: Int
    let body: Int
    let pixels: Int
  }

  var state: MemoryBudgetState
  var random: SplitMix64
  var running: [Int: Item] = [:]
  var waiting: [Int: Item] = [:]
  var peak = 0
  var finished = 0
  let items = 60
  /// Of so many turns one gives up an item that waits; none where it is 0.
  let patience: Int

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    patience = seed.isMultiple(of: 2) ? 0 : 20
    let total = Int.random(in: 40...2000, using: &random)
    let longest = Int.random(in: 1...total, using: &random)
    state = MemoryBudgetState(
      total: total, readAhead: Int.random(in: 0...total, using: &random), longestBody: longest)
    for ticket in 0..<items { running[ticket] = item() }
  }

  private mutating func item() -> Item {
    let total = state.total
    if Bool.random(using: &random) {
      let body = Int.random(in: 1...max(Int.random(in: 1...total, using: &random) / 4, 1), using: &random)
      let pixels = Int.random(in: 0...max(Int.random(in: 0...(total - body), using: &random), 0), using: &random)
      return Item(steps: [.admit, .complete, .pixels, .begin, .end], first: body, body: body, pixels: pixels)
    }
    let first = min(max(total / 50, 1), max(state.bodyLimit - state.extensionShare, 1), state.longestBody)
    let body = Int.random(in: 1...Int.random(in: 1...state.longestBody, using: &random), using: &random)
    let pixels = Int.random(in: 0...(total - body), using: &random)
    return Item(steps: [.admit, .grow, .complete, .pixels, .begin, .end], first: first, body: body, pixels: pixels)
  }

  mutating func run() {
    while let ticket = running.keys.sorted().randomElement(using: &random) {
      if patience > 0, Int.random(in: 0..<patience, using: &random) == 0,
        let other = waiting.keys.sorted().randomElement(using: &random)
      {
        resume(giveUp(other))
      }
      guard var item = running.removeValue(forKey: ticket), !item.steps.isEmpty else { continue }
      switch item.steps.removeFirst() {
      case .admit: ask(ticket, item, .admit(bytes: item.first))
      case .grow where item.held < item.body:
        item.steps.insert(.grow, at: 0)
        let needed = Int.random(in: (item.held + 1)...item.body, using: &random)
        ask(ticket, item, state.growth(from: item.held, to: needed, isExtended: item.isExtended))
      case .grow: running[ticket] = item
      case .complete:
        let granted = state.complete(held: item.held, count: item.body)
        item.held = item.body
        item.isReceiving = false
        running[ticket] = item
        resume(granted)
      case .pixels: ask(ticket, item, .pixels(bytes: item.pixels, body: item.body))
      case .begin:
        running[ticket] = item
        resume(state.begin(count: item.body))
      case .end:
        finished += 1
        resume(state.release(body: item.body, isReceiving: false))
        resume(state.release(pixels: item.pixels))
      }
    }
  }

  private mutating func ask(_ ticket: Int, _ item: Item, _ request: MemoryBudgetState.Request) {
    guard state.isPossible(request) else {
      Issue.record("\(request) can never be granted")
      return
    }
    waiting[ticket] = item
    waiting[ticket]?.request = request
    resume(state.ask(ticket, request))
  }

  private mutating func giveUp(_ ticket: Int) -> [Int] {
    guard let item = waiting.removeValue(forKey: ticket) else { return [] }
    finished += 1
    var granted = state.withdraw(ticket)
    if item.isReceiving {
      granted += state.release(body: item.held, isReceiving: true)
    } else if item.held > 0 {
      granted += state.begin(count: item.held) + state.release(body: item.held, isReceiving: false)
    }
    return granted
  }

  private mutating func resume(_ granted: [Int]) {
    peak = max(peak, state.bodies + state.pixels)
    for ticket in granted {
      guard var item = waiting.removeValue(forKey: ticket) else { continue }
      switch item.request {
      case .admit(let bytes): (item.held, item.isReceiving) = (bytes, true)
      case .extend(let bytes), .outgrow(let bytes, _):
        item.held += bytes
        item.isExtended = true
      case .pixels, nil: break
      }
      running[ticket] = item
    }
  }
}
