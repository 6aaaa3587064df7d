import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Answers that end too early, or are none.
@Suite(.timeLimit(.minutes(5)))
struct TruncationTests {
  @Test(arguments: [0, 1, 50_000, 299_999])
  func aBodyShorterThanAnnouncedIsTruncated(count: Int) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .cut(pattern(300_000), after: count))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.stage == .transport)
    #expect(error?.code == .bodyTruncated)
    #expect(error?.isTransient == true)
  }

  @Test func whatCameBeforeTheCutCanBeRead() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .cut(Array("abcdef".utf8), after: 4))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(try await response.body.next()?.array() == Array("abcd".utf8))
    let error = await failure { try await response.body.next() }
    #expect(error?.code == .bodyTruncated)
  }

  @Test func chunksWithoutTheLastAreTruncated() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .chunked([pattern(1000), pattern(1000)], isComplete: false))
    origin.on("/b", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nabc"))
    let transport = try loopbackTransport()
    for target in ["/a", "/b"] {
      let error = await failure { try await transport.bytes(of: origin.url(target)) }
      #expect(error?.code == .bodyTruncated, "\(target)")
    }
  }

  @Test func chunksThatAreNoneAreAProtocolError() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.code == .protocol)
  }

  @Test func aConnectionBrokenInTheBodyIsLost() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on(
      "/a",
      ScriptedReply([
        .send(ScriptedReply.head(200, [("Content-Length", "1000")]) + pattern(10)), .wait(latch), .reset,
      ]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    latch.open()
    let error = await failure { try await response.body.collect(upTo: 1000) }
    #expect(error?.code == .connectionLost)
    #expect(error?.isTransient == true)
  }

  @Test(arguments: [ScriptedReply([.close]), ScriptedReply([.reset]), .raw("HTTP/1.1 200 OK\r\nContent-Ty")])
  func aConnectionThatEndsBeforeTheHeadDoesIsLost(reply: ScriptedReply) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", reply)
    let transport = try loopbackTransport()
    let error = await failure { try await transport.get(origin.url("/a")) }
    #expect(error?.code == .connectionLost)
    #expect(error?.isTransient == true)
  }

  @Test(arguments: [
    "Content-Length: 3\r\nContent-Length: 5", "Content-Length: 5, 3", "Content-Length: 0x5", "Content-Length: +5",
    "Content-Length: 5 5", "Content-Length: 5\r\n 5", "Content-Length: 5,",
  ])
  func anAnswerWhoseEndCannotBeToldIsAProtocolError(lines: String) async throws {
    let origin = try ScriptedOrigin()
    let head = Array("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n".utf8)
    origin.on("/a", ScriptedReply([.send(head + Array("abcde".utf8))]))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.code == .protocol)
    #expect(error?.message.contains("Content-Length") == true)
    #expect(await origin.waitForNoConnections())
  }

  @Test(arguments: ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 05"])
  func aLengthThatIsSaidTwiceIsOne(lines: String) async throws {
    let origin = try ScriptedOrigin()
    let head = Array("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n".utf8)
    origin.on("/a", ScriptedReply([.send(head + Array("abcde".utf8))]))
    #expect(try await loopbackTransport().bytes(of: origin.url("/a")) == Array("abcde".utf8))
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "<html>no head</html>", "HTTP/1.1 2x0 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
  ])
  func whatIsNoAnswerIsAProtocolError(text: String) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .raw(text))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.get(origin.url("/a")) }
    #expect(error?.code == .protocol)
  }
}
