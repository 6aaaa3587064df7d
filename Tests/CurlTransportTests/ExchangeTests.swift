import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// One request, one answer: the head first, then the body as it comes.
@Suite(.timeLimit(.minutes(5)))
struct ExchangeTests {
  @Test func bodyAndHeadArriveAsSent() async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(300_000)
    origin.on("/a", .response(headers: [("Content-Type", "image/jpeg"), ("X-Two", "1"), ("X-Two", "2")], body: body))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.status == 200)
    #expect(response.headers["content-type"] == "image/jpeg")
    #expect(response.headers.values("x-two") == ["1", "2"])
    #expect(response.contentLength == 300_000)
    #expect(response.body.expectedLength == 300_000)
    #expect(!response.isCloseDelimited)
    #expect(try await response.body.collect(upTo: 300_000).array() == body)
  }

  @Test func headIsThereBeforeTheBody() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on(
      "/a",
      ScriptedReply([
        .send(ScriptedReply.head(200, [("Content-Length", "5")])), .wait(latch), .send(Array("hello".utf8)),
      ]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.status == 200)
    latch.open()
    #expect(try await response.body.collect(upTo: 5).array() == Array("hello".utf8))
  }

  @Test func chunksArriveOneByOne() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on(
      "/a",
      ScriptedReply([
        .send(ScriptedReply.head(200, [("Transfer-Encoding", "chunked")])), .send(Array("3\r\nabc\r\n".utf8)),
        .wait(latch), .send(Array("2\r\nde\r\n0\r\n\r\n".utf8)),
      ]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.body.expectedLength == nil)
    #expect(!response.isCloseDelimited)
    #expect(try await response.body.next()?.array() == Array("abc".utf8))
    latch.open()
    #expect(try await response.body.next()?.array() == Array("de".utf8))
    #expect(try await response.body.next() == nil)
  }

  @Test func closeDelimitedBodyIsMarkedAsSuch() async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(100_000)
    origin.on("/a", .closeDelimited(body))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.isCloseDelimited)
    #expect(response.body.expectedLength == nil)
    #expect(try await response.body.collect(upTo: 100_000).array() == body)
  }
}

/// Answers without a body, and requests with one.
@Suite(.timeLimit(.minutes(5)))
struct MethodTests {
  @Test(arguments: [204, 304])
  func statusesWithoutBodyEndAtOnce(status: Int) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.send(ScriptedReply.head(status, [("ETag", "\"x\"")]))]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.status == status)
    #expect(response.headers["ETag"] == "\"x\"")
    #expect(!response.isCloseDelimited)
    #expect(try await response.body.collect(upTo: 0).isEmpty)
  }

  @Test func headRequestHasNoBodyWhateverTheLengthSays() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply([.send(ScriptedReply.head(200, [("Content-Length", "1000")]))]))
    let transport = try loopbackTransport()
    let response = try await transport.send(HTTPRequest(.head, try ResourceURL(origin.url("/a"))))
    #expect(response.contentLength == 1000)
    #expect(response.body.expectedLength == 0)
    #expect(try await response.body.collect(upTo: 0).isEmpty)
    #expect(origin.requests.map(\.method) == ["HEAD"])
  }

  @Test(arguments: [
    ("POST", HTTPMethod.post), ("PUT", HTTPMethod.put), ("PATCH", HTTPMethod.patch),
  ])
  func bodiesAreSentWithTheirType(name: String, method: @Sendable (HTTPRequestBody) -> HTTPMethod) async throws {
    let origin = try ScriptedOrigin()
    let bytes = pattern(200_000) + [0, 1, 0]
    let body = HTTPRequestBody(SharedBytes(bytes), contentType: "application/x-test")
    let transport = try loopbackTransport()
    origin.on("/a", .response(201))
    let response = try await transport.send(HTTPRequest(method(body), try ResourceURL(origin.url("/a"))))
    #expect(response.status == 201)
    let request = try #require(origin.requests.first)
    #expect(request.method == name)
    #expect(request.body == bytes)
    #expect(request.header("Content-Length") == "200003")
    #expect(request.header("Content-Type") == "application/x-test")
    #expect(request.header("Expect") == nil)
  }

  @Test func emptyBodyWithoutTypeIsAnnouncedAsEmpty() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let transport = try loopbackTransport()
    _ = try await transport.send(HTTPRequest(.post(.empty), try ResourceURL(origin.url("/a")))).body.collect(upTo: 0)
    let request = try #require(origin.requests.first)
    #expect(request.header("Content-Length") == "0")
    #expect(request.header("Content-Type") == nil)
  }

  @Test func deleteHasNoBody() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let transport = try loopbackTransport()
    _ = try await transport.send(HTTPRequest(.delete, try ResourceURL(origin.url("/a")))).body.collect(upTo: 0)
    let request = try #require(origin.requests.first)
    #expect(request.method == "DELETE")
    #expect(request.body.isEmpty)
    #expect(request.header("Content-Length") == nil)
  }

  @Test func aMethodOfOneRequestDoesNotLeakIntoTheNext() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let transport = try loopbackTransport()
    let body = HTTPRequestBody(SharedBytes(utf8: "x=1"), contentType: "text/plain")
    for method in [HTTPMethod.put(body), .get, .head, .delete, .get, .post(body), .get] {
      _ = try await transport.send(HTTPRequest(method, try ResourceURL(origin.url("/a")))).body.collect(upTo: 0)
    }
    #expect(origin.requests.map(\.method) == ["PUT", "GET", "HEAD", "DELETE", "GET", "POST", "GET"])
    #expect(origin.requests.map(\.body.count) == [3, 0, 0, 0, 0, 3, 0])
    #expect(origin.requests[1].header("Content-Type") == nil)
  }
}
