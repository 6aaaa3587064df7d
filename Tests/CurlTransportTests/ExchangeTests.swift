import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// One request, one answer: the head first, then the body as it comes.
@Suite(.timeLimit(.minutes(1)))
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
