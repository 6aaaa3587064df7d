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

  /// Items with bodies of known and unknown length and decodes of any size, in any order: all come to their end, and the
  /// ceiling holds but for the one stated exception.
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
    case extend
    case complete
    case begin
    case pixels
    case end
  }

  struct Item {
    var steps: [Step]
    var held = 0
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

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
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
    let first = min(max(total / 50, 1), max(state.bodyLimit - state.extensionShare, 1))
    let body = Int.random(in: 1...(first + state.longestExtension), using: &random)
    let pixels = Int.random(in: 0...(total - body), using: &random)
    let steps: [Step] = [.admit] + (body > first ? [.extend] : []) + [.complete, .pixels, .begin, .end]
    return Item(steps: steps, first: first, body: body, pixels: pixels)
  }

  mutating func run() {
    while let ticket = running.keys.sorted().randomElement(using: &random) {
      guard var item = running.removeValue(forKey: ticket), !item.steps.isEmpty else { continue }
      let step = item.steps.removeFirst()
      var granted: [Int] = []
      switch step {
      case .admit:
        item.held = item.first
        waiting[ticket] = item
        granted = state.ask(ticket, .admit(bytes: item.first))
      case .extend:
        item.held += state.longestExtension
        waiting[ticket] = item
        granted = state.ask(ticket, .extend(bytes: state.longestExtension))
      case .complete:
        granted = state.complete(held: item.held, count: item.body)
        item.held = item.body
        running[ticket] = item
      case .pixels:
        waiting[ticket] = item
        granted = state.ask(ticket, .pixels(bytes: item.pixels, body: item.body))
      case .begin:
        granted = state.begin(count: item.body)
        running[ticket] = item
      case .end:
        granted = state.release(body: item.body, isReceiving: false) + state.release(pixels: item.pixels)
        finished += 1
      }
      peak = max(peak, state.bodies + state.pixels)
      for ticket in granted { running[ticket] = waiting.removeValue(forKey: ticket) }
    }
  }
}
