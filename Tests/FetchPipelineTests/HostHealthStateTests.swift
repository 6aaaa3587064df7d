import Testing

@testable import FetchPipeline

/// When a host is given up, and when it gets another chance.
struct HostHealthStateTests {
  @Test func aHostIsGivenUpAfterTenFailuresInARow() {
    var state = HostHealthState()
    for _ in 0..<9 { state.failed("a", now: .zero) }
    check(state.admit("a", now: .zero), nil)
    state.answered("a")
    for _ in 0..<9 { state.failed("a", now: .zero) }
    check(state.admit("a", now: .zero), nil)
    state.failed("a", now: .zero)
    check(state.admit("a", now: .seconds(5)), .seconds(10))
    check(state.admit("b", now: .seconds(5)), nil)
  }

  @Test func oneAfterThePauseFindsOut() {
    var state = open()
    check(state.admit("a", now: .seconds(15)), nil)
    check(state.admit("a", now: .seconds(15)), .zero)  // another one is trying
    state.answered("a")
    check(state.admit("a", now: .seconds(16)), nil)
    check(state.admit("a", now: .seconds(16)), nil)
  }

  @Test func thePauseDoublesUpToItsMost() {
    var state = open()
    var now = Duration.seconds(15)
    for pause in [30, 60, 120, 240, 300, 300] {
      check(state.admit("a", now: now), nil)
      state.failed("a", now: now)
      check(state.admit("a", now: now), .seconds(pause))
      now += .seconds(pause)
    }
  }

  @Test func whatStartedBeforeDoesNotCountAgain() {
    var state = open()
    for _ in 0..<20 { state.failed("a", now: .seconds(1)) }
    check(state.admit("a", now: .seconds(15)), nil)
  }

  @Test func aProbeThatIsCancelledLeavesRoomForAnother() {
    var state = open()
    check(state.admit("a", now: .seconds(15)), nil)
    state.abandoned("a")
    check(state.admit("a", now: .seconds(15)), nil)
  }

  private func open() -> HostHealthState {
    var state = HostHealthState()
    for _ in 0..<10 { state.failed("a", now: .zero) }
    return state
  }
}
