import PipelineTesting
import Testing

@testable import FetchPipeline

/// What an outage of a host costs a list, by a clock that is set by hand.
@Suite(.timeLimit(.minutes(5)))
struct HostOutageTests {
  @Test func anOutageOfSecondsCostsOnlyTheRowsThatHaveUsedUpTheirAttempts() async throws {
    let clock = FakeClock(jumps: false)
    let transport = StubTransport { request, _ in
      if clock.uptime < .seconds(2) { throw PipelineError(.transport, .connect, "refused") }
      return .stub(200, to: request, body: "x")
    }
    let codes = try await fetchAll(300, transport, clock)
    let failed = codes.filter { $0.value != nil }
    for (url, code) in failed {
      #expect(code == .connect)
      #expect(transport.requests.count { $0.url.description == url } == 3)
    }
    // Ten until the host is suspected, five that were under way with the tenth, and a probe or two.
    #expect(transport.requests.count <= 300 + 10 + 5 + 2)
    #expect(failed.count <= 5)
  }

  @Test func aHostThatStaysSilentCostsALittleTimeOnce() async throws {
    let clock = FakeClock(jumps: false)
    let transport = StubTransport { _, _ in throw PipelineError(.transport, .connect, "refused") }
    let codes = try await fetchAll(300, transport, clock)
    #expect(codes.values.allSatisfy { $0 == .connect || $0 == .hostUnavailable })
    #expect(codes.values.count { $0 == .hostUnavailable } >= 290)
    #expect(transport.requests.count <= 10 + 5 + 4 + 4)
    #expect(clock.uptime >= .seconds(15) && clock.uptime < .seconds(300))
  }

  @Test func anotherOriginOfTheHostIsNotHeldUp() async throws {
    let clock = FakeClock(jumps: false)
    let transport = StubTransport { request, _ in
      if request.url.authority.hasSuffix(":81") { throw PipelineError(.transport, .connect, "refused") }
      return .stub(200, to: request, body: "x")
    }
    let fetcher = Self.fetcher(transport, clock)
    for number in 0..<10 {
      let request = HTTPRequest(.post(HTTPRequestBody(.empty)), try ResourceURL("http://a.example:81/\(number)"))
      await #expect(throws: PipelineError.self) { try await fetcher.fetch(request, trace: FetchTrace { _ in }) }
    }
    let held = HTTPRequest(.get, try ResourceURL("http://a.example:81/held"))
    let tasks = (0..<20).map { _ in Task { _ = try await fetcher.fetch(held, trace: FetchTrace { _ in }) } }
    while clock.sleeps.count < tasks.count { try await Task.sleep(for: .milliseconds(1)) }
    let other = HTTPRequest(.get, try ResourceURL("http://a.example:82/"))
    _ = try await fetcher.fetch(other, trace: FetchTrace { _ in })
    #expect(clock.uptime == .zero)
    // Who is cancelled waits no longer.
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(!transport.requests.contains { $0.url == held.url })
  }

  /// Fetches that many URLs of a host at the same time while time passes, and returns what became of each.
  private func fetchAll(
    _ count: Int, _ transport: StubTransport, _ clock: FakeClock
  ) async throws -> [String: PipelineError.Code?] {
    let fetcher = Self.fetcher(transport, clock)
    let time = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(2))
        clock.advance(by: .milliseconds(50))
      }
    }
    defer { time.cancel() }
    return try await withThrowingTaskGroup(of: (String, PipelineError.Code?).self) { group in
      for number in 0..<count {
        let request = HTTPRequest(.get, try ResourceURL("http://a.example/\(number)"))
        group.addTask {
          do { _ = try await fetcher.fetch(request, trace: FetchTrace { _ in }) } catch {
            return (request.url.description, PipelineError(error, at: .transport).code)
          }
          return (request.url.description, nil)
        }
      }
      var codes: [String: PipelineError.Code?] = [:]
      for try await (url, code) in group { codes.updateValue(code, forKey: url) }
      return codes
    }
  }

  private static func fetcher(_ transport: StubTransport, _ clock: FakeClock) -> Fetcher {
    let options = TransportOptions()
    return Fetcher(
      transport: transport, middleware: [], hosts: Hosts(options, clock: clock),
      budget: MemoryBudget(total: 100_000_000, readAhead: 10_000_000, longestBody: 10_000_000), cache: CacheTiers([]),
      options: options, clock: clock, observer: SilentObserver(), accepts: { _ in true })
  }
}
