import PipelineTesting
import Testing

@testable import FetchPipeline

/// Attempts, waits and hops, by a clock that is set by hand.
struct FetcherTests {
  @Test func twiceUnavailableThenThere() async throws {
    let (fetched, clock, transport) = try await fetch { request, count in
      count < 2 ? .stub(503, to: request) : .stub(200, to: request, body: "picture")
    }
    #expect(try fetched.get().body.bytes == SharedBytes(utf8: "picture"))
    #expect(try fetched.get().exchange?.attempts == 3)
    #expect(transport.requests.count == 3)
    #expect(clock.sleeps.count == 2)
    #expect(clock.sleeps[0] <= .milliseconds(500) && clock.sleeps[1] <= .seconds(1))
  }

  @Test func alwaysBrokenIsAFailureAfterAllAttempts() async throws {
    let (fetched, clock, transport) = try await fetch { request, _ in .stub(500, to: request, body: "oh no") }
    let error = failure(fetched)
    #expect(error?.code == .httpStatus)
    #expect(error?.httpStatus == 500)
    #expect(error?.isTransient == true)
    #expect(error?.message.contains("oh no") == true)
    #expect(transport.requests.count == 3)
    #expect(clock.sleeps.count == 2)
  }

  @Test func aWaitInSecondsIsKeptToTheLetter() async throws {
    let (fetched, clock, _) = try await fetch { request, count in
      count == 0 ? .stub(429, to: request, headers: ["Retry-After": "7"]) : .stub(200, to: request)
    }
    #expect((try? fetched.get()) != nil)
    #expect(clock.sleeps.contains(.seconds(7)))
    #expect(clock.uptime >= .seconds(7))
  }

  @Test func aWaitUntilADateIsKeptToo() async throws {
    // 1,700,000,000 is Tue, 14 Nov 2023 22:13:20 GMT.
    let (fetched, clock, _) = try await fetch { request, count in
      count == 0
        ? .stub(503, to: request, headers: ["Retry-After": "Tue, 14 Nov 2023 22:13:29 GMT"]) : .stub(200, to: request)
    }
    #expect((try? fetched.get()) != nil)
    #expect(clock.sleeps.contains(.seconds(9)))
  }

  @Test(arguments: ["3600", "99999999999999999999", String(repeating: "9", count: 300)])
  func aWaitThatIsTooLongIsNotWaitedFor(seconds: String) async throws {
    let (fetched, clock, transport) = try await fetch { request, _ in
      .stub(429, to: request, headers: ["Retry-After": seconds])
    }
    #expect(failure(fetched)?.httpStatus == 429)
    #expect(transport.requests.count == 1)
    #expect(clock.sleeps.isEmpty)
  }

  @Test func oneAnswerThatAsksForTooMuchDoesNotHoldUpItsHost() async throws {
    let transport = StubTransport { request, _ in
      request.url.path == "/bad"
        ? .stub(503, to: request, headers: ["Retry-After": "999999999999"])
        : .stub(200, to: request, body: "x")
    }
    let clock = FakeClock()
    let fetcher = Self.fetcher(transport, clock)
    let bad = HTTPRequest(.get, try ResourceURL("http://a.example/bad"))
    await #expect(throws: PipelineError.self) { try await fetcher.fetch(bad, trace: FetchTrace { _ in }) }
    let good = HTTPRequest(.get, try ResourceURL("http://a.example/good"))
    _ = try await fetcher.fetch(good, trace: FetchTrace { _ in })
    #expect(clock.uptime <= .milliseconds(500))
  }

  @Test func waitsForATurnAreToldApartAtEveryHop() async throws {
    let transport = StubTransport { request, count in
      switch (request.url.path, count) {
      case ("/", _): .stub(302, to: request, headers: ["Location": "/two"])
      case (_, 0): .stub(503, to: request, headers: ["Retry-After": "7"])
      default: .stub(200, to: request, body: "x")
      }
    }
    let activities = Lock<[ItemActivity]>([])
    let request = HTTPRequest(.get, try ResourceURL("http://a.example/"))
    let trace = FetchTrace { activity in activities.withLock { $0.append(activity) } }
    _ = try await Self.fetcher(transport, FakeClock()).fetch(request, trace: trace)
    // Two attempts of two hops, and between them the wait that the server asked for.
    let hop: [ItemActivity] = [.waits, .goesOn, .begins]
    #expect(activities.withLock { $0 } == hop + hop + [.waits, .goesOn] + hop + hop)
  }

  @Test func aPartThatNobodyAskedForIsAnError() async throws {
    let (fetched, _, _) = try await fetch { request, _ in
      .stub(206, to: request, headers: ["Content-Range": "bytes 0-6/7"], body: "picture")
    }
    #expect(failure(fetched)?.code == .protocol)
    #expect(failure(fetched)?.httpStatus == 206)
    #expect(failure(fetched)?.message.contains("206") == true)
  }

  @Test func aPartThatARowAskedForIsTaken() async throws {
    let transport = StubTransport { request, _ in .stub(206, to: request, body: "part") }
    let request = HTTPRequest(.get, try ResourceURL("http://a.example/"), headers: ["Range": "bytes=0-3"])
    let fetched = try await Self.fetcher(transport, FakeClock()).fetch(request, trace: FetchTrace { _ in })
    #expect(fetched.body.bytes == SharedBytes(utf8: "part"))
  }

  @Test func aPostIsSentOnce() async throws {
    let body = HTTPRequestBody(SharedBytes(utf8: "{}"))
    let (fetched, _, transport) = try await fetch(.post(body)) { request, _ in .stub(503, to: request) }
    #expect(failure(fetched)?.httpStatus == 503)
    #expect(transport.requests.count == 1)
  }

  @Test func lostConnectionsAreTriedAgainAndNamesThatDoNotExistAreNot() async throws {
    let (fetched, _, transport) = try await fetch { request, count in
      if count == 0 { throw PipelineError(.transport, .connectionLost, "gone") }
      return .stub(200, to: request)
    }
    #expect((try? fetched.get()) != nil)
    #expect(transport.requests.count == 2)
    let (unknown, _, other) = try await fetch { _, _ in
      throw PipelineError(.transport, .dns, "no such name", isTransient: false)
    }
    #expect(failure(unknown)?.code == .dns)
    #expect(other.requests.count == 1)
  }

  @Test func redirectsAreHopsAndNotAttempts() async throws {
    let (fetched, _, transport) = try await fetch { request, _ in
      switch request.url.path {
      case "/": .stub(301, to: request, headers: ["Location": "/two"])
      case "/two": .stub(302, to: request, headers: ["Location": "//b.example/three"])
      default: .stub(200, to: request, body: "x")
      }
    }
    let result = try fetched.get()
    #expect(result.isRedirected)
    #expect(result.exchange?.attempts == 1)
    #expect(result.exchange?.url.description == "http://b.example/three")
    #expect(
      transport.requests.map(\.url.description) == [
        "http://a.example/", "http://a.example/two", "http://b.example/three",
      ])
  }

  @Test func aHostThatNeverAnswersIsGivenUp() async throws {
    let transport = StubTransport { _, _ in throw PipelineError(.transport, .connect, "refused") }
    let clock = FakeClock()
    let fetcher = Self.fetcher(transport, clock)
    var codes: [PipelineError.Code] = []
    for index in 0..<6 {
      let request = HTTPRequest(.get, try ResourceURL("http://dead.example/\(index)"))
      do { _ = try await fetcher.fetch(request, trace: FetchTrace { _ in }) } catch {
        codes.append(PipelineError(error, at: .transport).code)
      }
    }
    // Three attempts each; after the tenth in a row there are four more, further and further apart, then nobody asks.
    #expect(codes == [.connect, .connect, .connect, .connect, .hostUnavailable, .hostUnavailable])
    #expect(transport.requests.count == 14)
    #expect(clock.uptime >= .seconds(15) && clock.uptime < .seconds(25))
    let other = HTTPRequest(.get, try ResourceURL("http://dead.example/later"))
    clock.advance(by: .seconds(16))
    await #expect(throws: PipelineError.self) { try await fetcher.fetch(other, trace: FetchTrace { _ in }) }
    #expect(transport.requests.count == 15)
  }

  // MARK: Fetching

  private func fetch(
    _ method: HTTPMethod = .get, _ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse
  ) async throws -> (Result<Fetcher.Fetched, any Error>, FakeClock, StubTransport) {
    let (transport, clock) = (StubTransport(answer), FakeClock())
    let fetcher = Self.fetcher(transport, clock)
    let request = HTTPRequest(method, try ResourceURL("http://a.example/"))
    do { return (.success(try await fetcher.fetch(request, trace: FetchTrace { _ in })), clock, transport) } catch {
      return (.failure(error), clock, transport)
    }
  }

  private static func fetcher(_ transport: StubTransport, _ clock: FakeClock) -> Fetcher {
    let options = TransportOptions()
    return Fetcher(
      transport: transport, middleware: [], hosts: Hosts(options, clock: clock),
      budget: MemoryBudget(total: 100_000_000, readAhead: 10_000_000, longestBody: 10_000_000), cache: CacheTiers([]),
      options: options,
      clock: clock, observer: SilentObserver(), accepts: { _ in true })
  }

  private func failure(_ result: Result<Fetcher.Fetched, any Error>) -> PipelineError? {
    if case .failure(let error) = result { error as? PipelineError } else { nil }
  }
}
