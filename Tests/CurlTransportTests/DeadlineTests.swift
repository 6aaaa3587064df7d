import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Every wait has an end.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
  @Test func silenceBeforeTheHeadIsAStall() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.hang]))
    let transport = try loopbackTransport { $0.stallTimeout = .milliseconds(200) }
    let start = ContinuousClock.now
    let error = await failure { try await transport.get(origin.url("/a")) }
    #expect(error?.code == .stalled)
    #expect(error?.message == "nothing came from 127.0.0.1 for 200ms (transport.stallTimeout)")
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    #expect(await origin.waitForNoConnections())
  }

  @Test func silenceInTheBodyIsAStall() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.send(ScriptedReply.head(200, [("Content-Length", "9")]) + [1]), .hang]))
    let transport = try loopbackTransport { $0.stallTimeout = .milliseconds(200) }
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.code == .stalled)
  }

  @Test func anAttemptEndsWithItsTime() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/hang", ScriptedReply([.hang]))
    let head = ScriptedReply.head(200, [("Content-Length", "100000")])
    origin.on("/drip", ScriptedReply([.send(head), .drip(pattern(100_000), count: 1, every: .milliseconds(20))]))
    let transport = try loopbackTransport { $0.stallTimeout = .seconds(20) }
    for target in ["/hang", "/drip"] {
      let error = await failure { try await transport.bytes(of: origin.url(target), timeout: .milliseconds(250)) }
      #expect(error?.code == .timeout, "\(target)")
      #expect(error?.message == "the exchange with 127.0.0.1 took longer than 250ms (request.timeout)")
    }
  }

  @Test func bytesKeepAnExchangeFromStalling() async throws {
    let origin = try ScriptedOrigin()
    let head = ScriptedReply.head(200, [("Content-Length", "20")])
    origin.on("/a", ScriptedReply([.send(head), .drip(pattern(20), count: 1, every: .milliseconds(30))]))
    let transport = try loopbackTransport { $0.stallTimeout = .milliseconds(300) }
    // 600 ms in all, no gap longer than 300.
    #expect(try await transport.bytes(of: origin.url("/a")) == pattern(20))
  }

  @Test func timeThatTheConsumerTakesDoesNotCount() async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(2_000_000)
    origin.on("/a", .response(body: body))
    let transport = try loopbackTransport { $0.stallTimeout = .milliseconds(200) }
    let response = try await transport.get(origin.url("/a"), timeout: .milliseconds(400))
    try await Task.sleep(for: .milliseconds(700))
    let first = try await response.body.next(chunkSize: 100_000)?.array() ?? []
    try await Task.sleep(for: .milliseconds(700))
    #expect(try await first + response.body.collect(upTo: 2_000_000).array() == body)
  }

  @Test func aLongUploadIsNoStall() async throws {
    // 16 MB at 2 ms for each 16 KiB take two seconds at least.
    let origin = try ScriptedOrigin(receivePause: .milliseconds(2))
    origin.on("/a", .response(body: [7]))
    let transport = try loopbackTransport { $0.stallTimeout = .milliseconds(1200) }
    let body = HTTPRequestBody(SharedBytes([UInt8](repeating: 1, count: 16_000_000)))
    let start = ContinuousClock.now
    let response = try await transport.send(HTTPRequest(.put(body), try ResourceURL(origin.url("/a"))))
    #expect(try await response.body.collect(upTo: 1).array() == [7])
    #expect(ContinuousClock.now - start > .milliseconds(1200))
  }

  @Test func connectingEndsWithItsTime() async throws {
    let listener = try SilentListener(isFull: true)
    let transport = try loopbackTransport { $0.connectTimeout = .milliseconds(300) }
    let error = await failure { try await transport.get("http://127.0.0.1:\(listener.port)/") }
    #expect(error?.code == .timeout)
    #expect(error?.message == "connecting to 127.0.0.1 took longer than 300ms (transport.connectTimeout)")
    #expect(error?.isTransient == true)
  }

  @Test func aRefusedConnectionIsSaidSo() async throws {
    let port = try SilentListener().port
    let transport = try loopbackTransport()
    let error = await failure { try await transport.get("http://127.0.0.1:\(port)/") }
    #expect(error?.code == .connect)
    #expect(error?.isTransient == true)
    #expect(error?.message.contains("Connection refused") == true)
  }

  @Test func aHangDoesNotHoldOthersUp() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/hang", ScriptedReply([.hang]))
    origin.on("/a", .response(body: [1]))
    // Longer than the test may take: whoever waits for the hang does not end in time.
    let transport = try loopbackTransport { $0.stallTimeout = .seconds(900) }
    let hanging = Task { try await transport.get(origin.url("/hang")) }
    for _ in 0..<50 { _ = try await transport.bytes(of: origin.url("/a")) }
    hanging.cancel()
  }
}
