import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// What an origin sends unasked is not taken for the answer to the next request.
@Suite(.timeLimit(.minutes(5)))
struct UnaskedAnswerTests {
  /// The bytes of an answer.
  private func answer(_ body: String) -> [UInt8] {
    ScriptedReply.head(200, [("Content-Length", String(body.utf8.count))]) + Array(body.utf8)
  }

  @Test func aSecondAnswerIsNotTakenForTheNextOne() async throws {
    let origin = try ScriptedOrigin()
    let taken = try Latch()
    origin.on(
      "/a", ScriptedReply([.send(answer("first")), .wait(taken), .send(answer("unasked"))]))
    origin.on("/b", ScriptedReply([.send(answer("second"))]))
    let transport = try loopbackTransport()
    #expect(try await transport.bytes(of: origin.url("/a")) == Array("first".utf8))
    taken.open()
    let whole = answer("first").count + answer("unasked").count
    while origin.bytesSent < whole { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try await transport.bytes(of: origin.url("/b")) == Array("second".utf8))
    // The request was sent once, on a connection of its own; and none is kept any more.
    #expect(origin.requests(for: "/b").count == 1)
    #expect(origin.connectionsAccepted == 2)
    #expect(await origin.waitForNoConnections())
    #expect(try await transport.bytes(of: origin.url("/b")) == Array("second".utf8))
    #expect(origin.connectionsAccepted == 3)
  }

  @Test func aSingleByteIsEnough() async throws {
    let origin = try ScriptedOrigin()
    let taken = try Latch()
    origin.on("/a", ScriptedReply([.send(answer("first")), .wait(taken), .send([0x0a])]))
    origin.on("/b", ScriptedReply([.send(answer("second"))]))
    let transport = try loopbackTransport { $0.connectionsPerHost = 1 }
    #expect(try await transport.bytes(of: origin.url("/a")) == Array("first".utf8))
    taken.open()
    while origin.bytesSent <= answer("first").count { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try await transport.bytes(of: origin.url("/b")) == Array("second".utf8))
    #expect(origin.connectionsAccepted == 2)
    #expect(await origin.waitForNoConnections())
  }

  @Test func anOriginThatSendsMoreThanItsAnswerKeepsNoConnection() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.send(answer("first") + answer("unasked"))]))
    origin.on("/b", ScriptedReply([.send(answer("second"))]))
    let transport = try loopbackTransport()
    #expect(try await transport.bytes(of: origin.url("/a")) == Array("first".utf8))
    for accepted in 2...4 {
      #expect(try await transport.bytes(of: origin.url("/b")) == Array("second".utf8))
      #expect(origin.connectionsAccepted == accepted)
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost"]) func quietConnectionsAreUsedAgain(host: String) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/b", ScriptedReply([.send(answer("second"))]))
    let transport = try loopbackTransport()
    for _ in 0..<10 {
      #expect(try await transport.bytes(of: origin.url("/b", host: host)) == Array("second".utf8))
    }
    #expect(origin.connectionsAccepted == 1)
  }
}
