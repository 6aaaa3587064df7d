import Testing

@testable import FetchPipeline

/// Who may start a request, and when.
struct HostQueueStateTests {
  @Test func limitsEachHostAndAll() {
    var state = HostQueueState(connections: 3, perHost: 2)
    check(state.enter(1, host: "a"), true)
    check(state.enter(2, host: "a"), true)
    check(state.enter(3, host: "a"), false)  // two for the host
    check(state.enter(4, host: "b"), true)
    check(state.enter(5, host: "b"), false)  // three in all
    check(state.enter(6, host: "c"), false)
    check(state.leave(host: "a"), [5])  // hosts in the order in which they came to wait with room of their own
  }

  @Test func aFullHostDoesNotHoldUpOthers() {
    var state = HostQueueState(connections: 10, perHost: 1)
    check(state.enter(1, host: "slow"), true)
    check(state.enter(2, host: "slow"), false)
    check(state.enter(3, host: "slow"), false)
    check(state.enter(4, host: "fast"), true)
    check(state.leave(host: "fast"), [])
    check(state.leave(host: "slow"), [2])
    check(state.leave(host: "slow"), [3])
    check(state.leave(host: "slow"), [])
  }

  @Test func hostsTakeTurnsUnderTheTotal() {
    var state = HostQueueState(connections: 1, perHost: 1)
    check(state.enter(1, host: "a"), true)
    for ticket in [2, 4, 6] { check(state.enter(ticket, host: "b"), false) }
    for ticket in [3, 5, 7] { check(state.enter(ticket, host: "c"), false) }
    check(state.leave(host: "a"), [2])
    check(state.leave(host: "b"), [3])
    check(state.leave(host: "c"), [4])
    check(state.leave(host: "b"), [5])
  }

  @Test func whoLeavesTheQueueIsNotLetGo() {
    var state = HostQueueState(connections: 1, perHost: 1)
    check(state.enter(1, host: "a"), true)
    check(state.enter(2, host: "a"), false)
    check(state.enter(3, host: "b"), false)
    check(state.abandon(2, host: "a"), true)
    check(state.abandon(1, host: "a"), false)  // has been let go
    check(state.abandon(2, host: "a"), false)  // has left
    check(state.leave(host: "a"), [3])
    check(state.leave(host: "b"), [])
  }

  /// Any sequence of calls keeps the limits, lets go in the order of arrival within a host, and leaves nobody behind.
  @Test(arguments: 1...20) func randomWalk(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let total = Int.random(in: 1...6, using: &random)
    let perHost = Int.random(in: 1...4, using: &random)
    let names = ["a", "b", "c", "d"]
    var state = HostQueueState(connections: total, perHost: perHost)
    var active: [Int: String] = [:]
    var waiting: [Int: String] = [:]
    var next = 0

    func checkLimits() {
      #expect(active.count <= total)
      for name in names {
        let here = active.values.filter { $0 == name }.count
        #expect(here <= perHost)
        // Nobody waits where there is room.
        if active.count < total, here < perHost { #expect(!waiting.values.contains(name)) }
      }
    }

    for _ in 0..<400 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0...2:
        next += 1
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        if state.enter(next, host: name) { active[next] = name } else { waiting[next] = name }
      case 3:
        guard let (ticket, name) = active.min(by: { $0.key < $1.key }) else { continue }
        active[ticket] = nil
        for released in state.leave(host: name) {
          guard let host = waiting.removeValue(forKey: released) else {
            Issue.record("\(released) was not waiting")
            continue
          }
          let earlier = waiting.filter { $0.value == host && $0.key < released }
          #expect(earlier.isEmpty)
          active[released] = host
        }
      default:
        guard let (ticket, name) = waiting.max(by: { $0.key < $1.key }) else { continue }
        check(state.abandon(ticket, host: name), true)
        waiting[ticket] = nil
      }
      checkLimits()
    }
  }
}
