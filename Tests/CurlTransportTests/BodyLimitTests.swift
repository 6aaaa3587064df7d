import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// No body is larger than it may be, whatever the server does, and what nobody reads is not gathered.
@Suite(.timeLimit(.minutes(5)))
struct BodyLimitTests {
  @Test(arguments: [false, true])
  func anEndlessBodyIsTooLarge(inChunks: Bool) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .endless(inChunks: inChunks))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.bytes(of: origin.url("/a"), upTo: 1_000_000) }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.isTransient == false)
    #expect(await origin.waitForNoConnections())
  }

  @Test func theTransportHasALimitOfItsOwn() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .endless())
    origin.on("/exact", .response(body: pattern(500_000)))
    let transport = try loopbackTransport { $0.maximumBytes = 500_000 }
    let error = await failure { try await transport.bytes(of: origin.url("/a"), upTo: 1_000_000_000) }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.message.contains("500000") == true)
    #expect(try await transport.bytes(of: origin.url("/exact")) == pattern(500_000))
  }

  @Test func aBodyThatNobodyReadsIsNotGathered() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .endless())
    let response = try await loopbackTransport().get(origin.url("/a"))
    // Until the buffers of the system on both sides are full, which are a few megabytes.
    var last = -1
    while origin.bytesSent != last {
      last = origin.bytesSent
      try await Task.sleep(for: .milliseconds(150))
    }
    #expect(last < 20_000_000)
    // And it goes on when somebody reads.
    var received = 0
    while received < 30_000_000 { received += try await response.body.next(chunkSize: 1_000_000)?.count ?? 0 }
    #expect(origin.bytesSent > 30_000_000 - 65_536)
    await response.body.cancel()
  }
}
