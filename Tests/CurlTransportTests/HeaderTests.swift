import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Header fields in both directions.
@Suite(.timeLimit(.minutes(5)))
struct HeaderTests {
  @Test func fieldsAreSentAsGiven() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let transport = try loopbackTransport()
    _ = try await transport.get(
      origin.url("/a"),
      headers: ["X-Empty": "", "User-Agent": "test/1", "Authorization": "Bearer s", "Accept": "image/*", "X-Text": "é"]
    ).body.collect(upTo: 0)
    #expect(
      origin.requests[0].fieldLines == [
        "Host: 127.0.0.1:\(origin.port)", "Accept-Encoding: identity", "X-Empty:", "User-Agent: test/1",
        "Authorization: Bearer s", "Accept: image/*", "X-Text: é",
      ])
  }

  @Test func nothingIsSaidOfTheAgentUnlessAsked() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    _ = try await loopbackTransport().get(origin.url("/a")).body.collect(upTo: 0)
    #expect(
      origin.requests[0].fieldLines == [
        "Host: 127.0.0.1:\(origin.port)", "Accept: */*", "Accept-Encoding: identity",
      ])
  }

  @Test func fieldsOfTheConnectionAreNotTheRequests() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    _ = try await loopbackTransport().get(
      origin.url("/a"), headers: ["Connection": "close", "Content-Length": "7", "Transfer-Encoding": "chunked"]
    ).body.collect(upTo: 0)
    let names = origin.requests[0].fieldLines.map { $0.prefix { $0 != ":" } }
    #expect(names == ["Host", "Accept", "Accept-Encoding"])
  }

  @Test(arguments: [("X Y", "1"), ("X", "1\r\nInjected: 2"), ("", "1"), ("X", "a\u{0}b")])
  func whatCannotBeSentIsRefused(name: String, value: String) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    var headers = HTTPFields()
    headers.append(.init(name, value))
    let transport = try loopbackTransport()
    let error = await failure { [headers] in try await transport.get(origin.url("/a"), headers: headers) }
    #expect(error?.code == .invalidInput)
    #expect(origin.requests.isEmpty)
  }

  @Test func userAndPasswordOfTheURLAreSentAsBasicAuthentication() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let url = "http://Aladdin:open%20sesame@127.0.0.1:\(origin.port)/a"
    let transport = try loopbackTransport()
    _ = try await transport.get(url).body.collect(upTo: 0)
    _ = try await transport.get(url, headers: ["Authorization": "Bearer s"]).body.collect(upTo: 0)
    _ = try await transport.get(origin.url("/a")).body.collect(upTo: 0)
    // The example of RFC 7617, section 2.
    #expect(
      origin.requests.map { $0.header("Authorization") } == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Bearer s", nil])
  }

  @Test func interimAnswersArePassedOver() async throws {
    let origin = try ScriptedOrigin()
    origin.on(
      "/a",
      .raw(
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nX-Final: 1\r\nContent-Length: 2\r\n\r\nok"))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.status == 200)
    #expect(response.headers["Link"] == nil)
    #expect(response.headers["X-Final"] == "1")
    #expect(try await response.body.collect(upTo: 2).array() == Array("ok".utf8))
  }

  @Test func trailersAreNotFields() async throws {
    let origin = try ScriptedOrigin()
    origin.on(
      "/a",
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n"))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(try await response.body.collect(upTo: 2).array() == Array("ok".utf8))
    #expect(response.headers["X-Trailer"] == nil)
  }

  @Test func bytesThatAreNotUTF8AreTakenAsLatin1() async throws {
    let origin = try ScriptedOrigin()
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: caf".utf8) + [0xe9] + Array("\r\n".utf8)
    let folded = Array("X-Folded: one\r\n  two\r\nX-UTF8: é\r\n\r\n".utf8)
    origin.on("/a", ScriptedReply([.send(head + folded)]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.headers["X-Name"] == "café")
    #expect(response.headers["X-UTF8"] == "é")
    #expect(response.headers["X-Folded"] == "one two")
    #expect(response.headers.count == 4)
  }

  @Test func aHeaderWithoutEndIsNotGathered() async throws {
    let origin = try ScriptedOrigin()
    let line = Array("X-Line: \(String(repeating: "a", count: 1000))\r\n".utf8)
    origin.on("/lines", ScriptedReply([.send(Array("HTTP/1.1 200 OK\r\n".utf8)), .repeatForever(line)]))
    origin.on(
      "/line",
      ScriptedReply([.send(Array("HTTP/1.1 200 OK\r\nX: ".utf8)), .repeatForever([UInt8](repeating: 97, count: 1000))]))
    origin.on("/interim", ScriptedReply([.repeatForever(Array("HTTP/1.1 100 Continue\r\nX: 1\r\n\r\n".utf8))]))
    let transport = try loopbackTransport()
    for target in ["/lines", "/line", "/interim"] {
      let error = await failure { try await transport.get(origin.url(target)) }
      #expect(error?.code == .protocol, "\(target)")
    }
    #expect(await origin.waitForNoConnections())
  }

  @Test func aLargeHeaderWithinTheLimitIsTaken() async throws {
    let origin = try ScriptedOrigin()
    let fields = (0..<200).map { ("X-\($0)", String(repeating: "v", count: 1000)) }
    origin.on("/a", .response(headers: fields))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.headers.count == 201)
    #expect(response.headers["X-199"]?.utf8.count == 1000)
  }
}
