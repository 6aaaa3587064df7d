import Testing

@testable import FetchPipeline

/// When an origin is suspected, when it is given up, and when it gets another chance.
struct HostHealthStateTests {
  @Test func anOriginIsSuspectedAfterTenFailuresInARow() {
    var state = HostHealthState()
    for _ in 0..<9 { state.failed("a", isProbe: false, now: .zero) }
    check(state.admit("a", now: .zero), .start(isProbe: false))
    state.answered("a")
    for _ in 0..<9 { state.failed("a", isProbe: false, now: .zero) }
    check(state.admit("a", now: .zero), .start(isProbe: false))
    state.failed("a", isProbe: false, now: .zero)
    check(state.admit("a", now: .milliseconds(400)), .wait(.milliseconds(600)))
    check(state.admit("b", now: .milliseconds(400)), .start(isProbe: false))
  }

  @Test func oneAfterTheHoldFindsOutWhileOthersWait() {
    var state = suspected()
    #expect(state.outlook("a", now: .seconds(1)) == .start(isProbe: true))
    check(state.admit("a", now: .seconds(1)), .start(isProbe: true))
    check(state.admit("a", now: .seconds(1)), .wait(HostHealthState.probeWait))
    state.answered("a")
    check(state.admit("a", now: .seconds(1)), .start(isProbe: false))
    check(state.admit("a", now: .seconds(1)), .start(isProbe: false))
  }

  @Test func theHoldDoublesUntilTheOriginIsGivenUp() {
    var state = suspected()
    var now = Duration.seconds(1)
    for hold in [2, 4, 8] {
      check(state.admit("a", now: now), .start(isProbe: true))
      state.failed("a", isProbe: true, now: now)
      check(state.admit("a", now: now), .wait(.seconds(hold)))
      now += .seconds(hold)
    }
    check(state.admit("a", now: now), .start(isProbe: true))
    state.failed("a", isProbe: true, now: now)
    check(state.admit("a", now: now), .refuse(.seconds(15)))
    #expect(now == .seconds(15))
  }

  @Test func oneAfterThePauseFindsOut() {
    var state = givenUp()
    check(state.admit("a", now: .seconds(30)), .start(isProbe: true))
    check(state.admit("a", now: .seconds(30)), .refuse(.zero))  // another one is trying
    state.answered("a")
    check(state.admit("a", now: .seconds(31)), .start(isProbe: false))
    check(state.admit("a", now: .seconds(31)), .start(isProbe: false))
  }

  @Test func thePauseDoublesUpToItsMost() {
    var state = givenUp()
    var now = Duration.seconds(30)
    for pause in [30, 60, 120, 240, 300, 300] {
      check(state.admit("a", now: now), .start(isProbe: true))
      state.failed("a", isProbe: true, now: now)
      check(state.admit("a", now: now), .refuse(.seconds(pause)))
      now += .seconds(pause)
    }
  }

  @Test func whatStartedBeforeDoesNotCountAgain() {
    var state = suspected()
    for _ in 0..<20 { state.failed("a", isProbe: false, now: .milliseconds(500)) }
    check(state.admit("a", now: .seconds(1)), .start(isProbe: true))
    for _ in 0..<20 { state.failed("a", isProbe: false, now: .seconds(1)) }
    state.abandoned("a", isProbe: false)
    check(state.admit("a", now: .seconds(1)), .wait(HostHealthState.probeWait))
  }

  @Test func aProbeThatIsCancelledLeavesRoomForAnother() {
    for (first, now) in [(suspected(), Duration.seconds(1)), (givenUp(), .seconds(30))] {
      var state = first
      check(state.admit("a", now: now), .start(isProbe: true))
      state.abandoned("a", isProbe: true)
      check(state.admit("a", now: now), .start(isProbe: true))
    }
  }

  private func suspected() -> HostHealthState {
    var state = HostHealthState()
    for _ in 0..<10 { state.failed("a", isProbe: false, now: .zero) }
    return state
  }

  /// Given up at 15 s.
  private func givenUp() -> HostHealthState {
    var state = suspected()
    for now in [1, 3, 7, 15] {
      _ = state.admit("a", now: .seconds(now))
      state.failed("a", isProbe: true, now: .seconds(now))
    }
    return state
  }
}
