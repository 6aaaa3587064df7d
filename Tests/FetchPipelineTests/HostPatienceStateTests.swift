import Testing

@testable import FetchPipeline

/// How long a host is left alone that asks for it.
struct HostPatienceStateTests {
  private func state() -> HostPatienceState { HostPatienceState(RetryPolicy()) }

  @Test func aShortTimeIsKeptToTheLetter() {
    var state = state()
    #expect(state.pause(of: "a", asking: .seconds(7), now: .zero) == .seconds(7))
    #expect(state.pause(of: "a", asking: .seconds(30), now: .zero) == .seconds(30))
    #expect(state.pause(of: "a", asking: nil, now: .zero) == nil)
  }

  @Test func aLongTimeHoldsTheHostUpForTheFirstWaitOnly() {
    var state = state()
    #expect(state.pause(of: "a", asking: .seconds(31), now: .zero) == .milliseconds(500))
    #expect(state.pause(of: "b", asking: .seconds(1_000_000_000), now: .zero) == .milliseconds(500))
  }

  @Test func aHostThatInsistsIsLeftAloneForLonger() {
    var state = state()
    var pauses: [Duration] = []
    var now = Duration.zero
    for _ in 0..<8 {
      let pause = state.pause(of: "a", asking: .seconds(3600), now: now)
      pauses.append(pause ?? .zero)
      // What was under way meanwhile says the same, and nothing new.
      let half = now + (pause ?? .zero) / 2
      #expect(state.pause(of: "a", asking: .seconds(3600), now: half) == nil)
      now += pause ?? .zero
    }
    #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    // Any other answer, and all is forgotten.
    #expect(state.pause(of: "a", asking: nil, now: now) == nil)
    #expect(state.pause(of: "a", asking: .seconds(3600), now: now) == .milliseconds(500))
  }
}
