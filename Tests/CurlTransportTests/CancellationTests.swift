import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Whoever gives an exchange up ends it, at any point, and nothing stays behind.
@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
  @Test func cancellationBeforeTheHeadEndsSending() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.hang]))
    let transport = try loopbackTransport()
    let task = Task { try await transport.get(origin.url("/a")) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await origin.waitForNoConnections())
  }

  @Test func cancellationInTheBodyEndsReceiving() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.send(ScriptedReply.head(200, [("Content-Length", "100")]) + [1]), .hang]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    let task = Task { try await response.body.collect(upTo: 100) }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await origin.waitForNoConnections())
  }

  @Test func cancellationBeforeTheStartIsNotForgotten() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let transport = try loopbackTransport()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await transport.get(origin.url("/a"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(origin.requests.isEmpty)
  }

  @Test func cancellationInTheQueueLeavesTheOthersTheirTurn() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on("/first", ScriptedReply([.wait(latch)] + ScriptedReply.response(body: [1]).steps))
    origin.on("/second", .response(body: [2]))
    origin.on("/third", .response(body: [3]))
    let transport = try loopbackTransport { $0.connectionsPerHost = 1 }
    let first = Task { try await transport.bytes(of: origin.url("/first")) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let second = Task { try await transport.bytes(of: origin.url("/second")) }
    try await Task.sleep(for: .milliseconds(20))
    let third = Task { try await transport.bytes(of: origin.url("/third")) }
    try await Task.sleep(for: .milliseconds(20))
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    latch.open()
    #expect(try await first.value == [1])
    #expect(try await third.value == [3])
    #expect(origin.requests.map(\.target) == ["/first", "/third"])
  }

  @Test func aDroppedBodyEndsItsExchange() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .endless())
    let transport = try loopbackTransport()
    _ = try await transport.get(origin.url("/a")).status
    #expect(await origin.waitForNoConnections())
    // The transport is as good as new.
    origin.on("/b", .response(body: [1]))
    #expect(try await transport.bytes(of: origin.url("/b")) == [1])
  }

  @Test func aDroppedTransportLetsItsBodiesEnd() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: pattern(1_000_000)))
    var transport: CurlTransport? = try loopbackTransport()
    let response = try await transport?.get(origin.url("/a"))
    transport = nil
    try await Task.sleep(for: .milliseconds(20))
    #expect(try await response?.body.collect(upTo: 1_000_000).array() == pattern(1_000_000))
  }

  @Test func cancellingTwiceOrAfterTheEndDoesNoHarm() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    origin.on("/endless", .endless())
    let transport = try loopbackTransport()
    let whole = try await transport.get(origin.url("/a"))
    #expect(try await whole.body.collect(upTo: 1).array() == [1])
    await whole.body.cancel()
    let endless = try await transport.get(origin.url("/endless"))
    async let first: Void = endless.body.cancel()
    async let second: Void = endless.body.cancel()
    _ = await (first, second)
    await #expect(throws: CancellationError.self) { try await endless.body.next() }
    #expect(try await transport.bytes(of: origin.url("/a")) == [1])
    #expect(origin.connectionsAccepted <= 3)
  }

  @Test func cancellationAtAnyMomentLeavesNothingBehind() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: pattern(50_000)))
    let transport = try loopbackTransport()
    for round in 0..<300 {
      let task = Task { try await transport.bytes(of: origin.url("/a")).count }
      try await Task.sleep(for: .microseconds(round * 5))
      task.cancel()
      do { #expect(try await task.value == 50_000) } catch { #expect(error is CancellationError) }
    }
    #expect(try await transport.bytes(of: origin.url("/a")) == pattern(50_000))
    #expect(origin.mostConnectionsOpen == 1)
  }

  @Test func shutdownEndsWhatGoesOnAndWhatComesLater() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/hang", ScriptedReply([.hang]))
    origin.on("/endless", .endless())
    let transport = try loopbackTransport()
    let hanging = Task { await failure { try await transport.get(origin.url("/hang")) } }
    let endless = try await transport.get(origin.url("/endless"))
    while origin.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    await transport.shutdown()
    #expect(await origin.waitForNoConnections())
    #expect(await hanging.value?.code == .cancelled)
    var error: PipelineError?
    while error == nil { error = await failure { try await endless.body.next() } }
    #expect(error?.code == .cancelled)
    #expect(await failure { try await transport.get(origin.url("/endless")) }?.code == .cancelled)
    await transport.shutdown()
  }

  @Test func shutdownOfAnUnusedTransportReturns() async throws {
    await (try CurlTransport()).shutdown()
  }
}
