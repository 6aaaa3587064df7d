import Testing

@testable import CurlTransport

/// Who may have a connection.
struct ConnectionGateTests {
  @Test func thoseWhoFitAreInAtOnce() {
    var gate = ConnectionGate<Int>(limit: 3, limitPerAuthority: 2)
    #expect(gate.enter(1, authority: "a") == true)
    #expect(gate.enter(2, authority: "a") == true)
    #expect(gate.enter(3, authority: "a") == false)
    #expect(gate.enter(4, authority: "b") == true)
    #expect(gate.enter(5, authority: "c") == false)
  }

  @Test func theFirstToWaitIsTheFirstIn() {
    var gate = ConnectionGate<Int>(limit: 10, limitPerAuthority: 1)
    #expect(gate.enter(1, authority: "a") == true)
    #expect(gate.enter(2, authority: "a") == false)
    #expect(gate.enter(3, authority: "a") == false)
    #expect(gate.leave(authority: "a") == [2])
    // Nobody overtakes those who wait.
    #expect(gate.enter(4, authority: "a") == false)
    #expect(gate.leave(authority: "a") == [3])
    #expect(gate.leave(authority: "a") == [4])
    #expect(gate.leave(authority: "a") == [])
    #expect(gate.enter(5, authority: "a") == true)
  }

  @Test func authoritiesTakeTurns() {
    var gate = ConnectionGate<String>(limit: 1, limitPerAuthority: 1)
    #expect(gate.enter("x", authority: "x") == true)
    for item in ["a1", "a2", "a3"] { #expect(gate.enter(item, authority: "a") == false) }
    for item in ["b1", "b2"] { #expect(gate.enter(item, authority: "b") == false) }
    var order: [String] = []
    var next = gate.leave(authority: "x")
    while let item = next.first {
      order.append(item)
      next = gate.leave(authority: String(item.prefix(1)))
    }
    #expect(order == ["a1", "b1", "a2", "b2", "a3"])
  }

  @Test func aFullAuthorityDoesNotBlockOthers() {
    var gate = ConnectionGate<String>(limit: 2, limitPerAuthority: 1)
    #expect(gate.enter("a1", authority: "a") == true)
    #expect(gate.enter("b1", authority: "b") == true)
    #expect(gate.enter("a2", authority: "a") == false)
    #expect(gate.enter("c1", authority: "c") == false)
    #expect(gate.leave(authority: "b") == ["c1"])
    #expect(gate.leave(authority: "a") == ["a2"])
  }

  @Test func thousandsWaitInOrder() {
    var gate = ConnectionGate<Int>(limit: 5, limitPerAuthority: 2)
    var order = (0..<2).filter { gate.enter($0, authority: "a") }
    #expect((2..<5000).allSatisfy { !gate.enter($0, authority: "a") })
    for _ in 0..<5000 { order += gate.leave(authority: "a") }
    #expect(order == Array(0..<5000))
  }

  @Test func whoeverWaitsCanBeSentAway() {
    var gate = ConnectionGate<Int>(limit: 1, limitPerAuthority: 1)
    #expect(gate.enter(1, authority: "a") == true)
    #expect(gate.enter(2, authority: "b") == false)
    #expect(gate.enter(3, authority: "a") == false)
    #expect(gate.removeWaiting() == [2, 3])
    #expect(gate.leave(authority: "a") == [])
  }
}

extension ConnectionGateTests {
  private final class Thing {}

  @Test func whatHasLeftIsNotHeldOnTo() {
    var gate = ConnectionGate<Thing>(limit: 1, limitPerAuthority: 1)
    let isFirstIn = gate.enter(Thing(), authority: "a")
    #expect(isFirstIn)
    weak var second: Thing?
    do {
      let thing = Thing()
      second = thing
      _ = gate.enter(thing, authority: "a")
    }
    _ = gate.enter(Thing(), authority: "a")
    #expect(second != nil)
    _ = gate.leave(authority: "a")
    #expect(second == nil)
    let waiting = gate.removeWaiting()
    #expect(waiting.count == 1)
  }
}
