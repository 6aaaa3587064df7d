import Testing

@testable import FetchPipeline

/// Whether an exchange is tried again, and when.
struct RetryStateTests {
  @Test func waitsDoubleUpToTheirMost() {
    var policy = RetryPolicy()
    policy.attempts = 8
    policy.backoff = .milliseconds(500)
    policy.maxBackoff = .seconds(5)
    var state = RetryState(policy: policy, method: .get)
    let waits = (0..<8).map { _ in state.wait(after: .status(503, retryAfter: nil), jitter: 1) }
    #expect(
      waits == [
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5), .seconds(5), nil,
      ])
    #expect(state.attempts == 8)
  }

  @Test func waitsAreSpreadFromNothing() {
    var state = RetryState(policy: RetryPolicy(), method: .get)
    check(state.wait(after: .status(500, retryAfter: nil), jitter: 0), .zero)
    check(state.wait(after: .status(500, retryAfter: nil), jitter: 0.25), .milliseconds(250))
  }

  @Test func aServerThatSaysWhenIsBelieved() {
    var state = RetryState(policy: RetryPolicy(), method: .get)
    check(state.wait(after: .status(429, retryAfter: .seconds(7)), jitter: 0.1), .seconds(7))
    // More than is ever waited: not in this run.
    check(state.wait(after: .status(429, retryAfter: .seconds(31)), jitter: 0.1), nil)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599]) func transientStatuses(status: Int) {
    var state = RetryState(policy: RetryPolicy(), method: .get)
    #expect(state.wait(after: .status(status, retryAfter: nil), jitter: 1) != nil)
  }

  @Test(arguments: [200, 204, 301, 400, 401, 403, 404, 410, 416, 451]) func otherStatuses(status: Int) {
    var state = RetryState(policy: RetryPolicy(), method: .get)
    check(state.wait(after: .status(status, retryAfter: .seconds(1)), jitter: 1), nil)
  }

  @Test func onlyWhatDoesNoHarmTwice() {
    let body = HTTPRequestBody(SharedBytes(utf8: "x"))
    for (method, isTried) in [
      (HTTPMethod.get, true), (.head, true), (.delete, true), (.put(body), true), (.post(body), false),
      (.patch(body), false),
    ] {
      var state = RetryState(policy: RetryPolicy(), method: method)
      #expect((state.wait(after: .status(503, retryAfter: nil), jitter: 1) != nil) == isTried, "\(method.name)")
    }
  }

  @Test func errorsOfTheTransportThatMayPass() {
    let tried: [PipelineError.Code] = [.dns, .connect, .timeout, .stalled, .connectionLost, .protocol, .bodyTruncated]
    for code in PipelineError.Code.allCases {
      var state = RetryState(policy: RetryPolicy(), method: .get)
      let wait = state.wait(after: .error(PipelineError(.transport, code, "")), jitter: 1)
      #expect((wait != nil) == (tried.contains(code) || code == .httpStatus || code == .diskFull), "\(code)")
    }
    var state = RetryState(policy: RetryPolicy(), method: .get)
    check(
      state.wait(after: .error(PipelineError(.transport, .dns, "no such name", isTransient: false)), jitter: 1), nil)
    check(state.wait(after: .error(PipelineError(.decode, .timeout, "")), jitter: 1), nil)
  }

  @Test func oneAttemptIsOneAttempt() {
    var policy = RetryPolicy()
    policy.attempts = 1
    var state = RetryState(policy: policy, method: .get)
    check(state.wait(after: .status(503, retryAfter: nil), jitter: 1), nil)
  }
}
