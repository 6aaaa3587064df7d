import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Compressed bodies that nobody asked for.
@Suite(.timeLimit(.minutes(5)))
struct ContentEncodingTests {
  @Test(arguments: ["gzip", "x-gzip", "GZIP"])
  func gzipIsUnwrappedUnasked(name: String) async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(200_000)
    origin.on("/a", .response(headers: [("Content-Encoding", name)], body: GzipBytes.stored(body)))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.body.expectedLength == nil)
    #expect(try await response.body.collect(upTo: 200_000).array() == body)
    #expect(origin.requests[0].header("Accept-Encoding") == "identity")
  }

  @Test func identityIsTakenAsItIs() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(headers: [("Content-Encoding", "identity")], body: [1, 2, 3]))
    let response = try await loopbackTransport().get(origin.url("/a"))
    #expect(response.body.expectedLength == 3)
    #expect(try await response.body.collect(upTo: 3).array() == [1, 2, 3])
  }

  @Test func aBombIsTooLarge() async throws {
    let origin = try ScriptedOrigin()
    let bomb = GzipBytes.zeros(4_000_000)
    origin.on("/a", .response(headers: [("Content-Encoding", "gzip")], body: bomb))
    let transport = try loopbackTransport { $0.maximumBytes = 2_000_000 }
    for limit in [1_000_000, 1_000_000_000] {
      let error = await failure { try await transport.bytes(of: origin.url("/a"), upTo: limit) }
      #expect(error?.code == .bodyTooLarge)
    }
  }

  @Test func zerosUnfoldInFull() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(headers: [("Content-Encoding", "gzip")], body: GzipBytes.zeros(1 + 258 * 4_000)))
    let bytes = try await loopbackTransport().bytes(of: origin.url("/a"))
    #expect(bytes.count == 1_032_001)
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  @Test(arguments: [
    ("gzip", Array("this is not gzip, however long one looks at it".utf8)),
    ("compress", [1, 2, 3]), ("exi, gzip", [1, 2, 3]),
  ])
  func whatCannotBeUnwrappedIsSaidSo(name: String, body: [UInt8]) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(headers: [("Content-Encoding", name)], body: body))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.code == .contentEncoding)
    #expect(error?.isTransient == false)
  }

  @Test func bytesThatUnfoldToNothingCountAllTheSame() async throws {
    let origin = try ScriptedOrigin()
    // Empty stored blocks, none of them the last.
    let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    let blocks = [[UInt8]](repeating: [0, 0, 0, 0xff, 0xff], count: 10_000).flatMap { $0 }
    origin.on(
      "/a",
      ScriptedReply([
        .send(ScriptedReply.head(200, [("Content-Encoding", "gzip"), ("Connection", "close")]) + header),
        .repeatForever(blocks),
      ]))
    let transport = try loopbackTransport { $0.maximumBytes = 2_000_000 }
    let error = await failure { try await transport.bytes(of: origin.url("/a")) }
    #expect(error?.code == .bodyTooLarge)
  }
}
