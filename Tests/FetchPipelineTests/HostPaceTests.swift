import Testing

@testable import FetchPipeline

/// How fast a host may be asked.
struct HostPaceTests {
  @Test func requestsStartSoFarApart() {
    var state = HostQueueState(connections: 10, perHost: 10, requestsPerSecond: 2)
    check(state.enter(1, host: "a", now: .zero), true)
    check(state.enter(2, host: "a", now: .zero), false)
    check(state.enter(3, host: "a", now: .milliseconds(100)), false)
    check(state.enter(4, host: "b", now: .milliseconds(100)), true)
    #expect(state.nextTick == .milliseconds(500))
    check(state.tick(now: .milliseconds(499)), [])
    check(state.tick(now: .milliseconds(500)), [2])
    #expect(state.nextTick == .seconds(1))
    check(state.tick(now: .milliseconds(1300)), [3])
    #expect(state.nextTick == nil)
    // The time since the last start counts, not its schedule.
    check(state.enter(5, host: "a", now: .milliseconds(1500)), false)
    check(state.tick(now: .milliseconds(1800)), [5])
  }

  @Test func aPlaceThatIsFreeIsNotTakenBeforeItsTime() {
    var state = HostQueueState(connections: 10, perHost: 1, requestsPerSecond: 1)
    check(state.enter(1, host: "a", now: .zero), true)
    check(state.enter(2, host: "a", now: .zero), false)
    check(state.leave(host: "a", now: .milliseconds(200)), [])
    #expect(state.nextTick == .seconds(1))
    check(state.tick(now: .seconds(1)), [2])
  }

  @Test func aPauseHoldsAllRequestsToAHost() {
    var state = HostQueueState(connections: 10, perHost: 2)
    state.pause("a", for: .seconds(5), now: .zero)
    check(state.enter(1, host: "a", now: .seconds(1)), false)
    check(state.enter(2, host: "a", now: .seconds(1)), false)
    check(state.enter(3, host: "b", now: .seconds(1)), true)
    #expect(state.nextTick == .seconds(5))
    check(state.tick(now: .seconds(5)), [1, 2])
  }

  @Test func aPauseReachesThoseThatWaitForAPlace() {
    var state = HostQueueState(connections: 1, perHost: 1)
    check(state.enter(1, host: "b", now: .zero), true)
    check(state.enter(2, host: "a", now: .zero), false)
    state.pause("a", for: .seconds(2), now: .zero)
    check(state.leave(host: "b", now: .seconds(1)), [])
    check(state.tick(now: .seconds(2)), [2])
  }

  @Test func whoLeavesThePausedQueueIsNotLetGo() {
    var state = HostQueueState(connections: 1, perHost: 1)
    state.pause("a", for: .seconds(2), now: .zero)
    check(state.enter(1, host: "a", now: .zero), false)
    check(state.abandon(1, host: "a", now: .zero), true)
    #expect(state.nextTick == nil)
    check(state.tick(now: .seconds(3)), [])
  }
}
