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

  @Test func severalMembersAreOneBody() async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(100_000)
    let members = [body[..<10], body[10..<10], body[10..<70_000], body[70_000...]].flatMap {
      GzipBytes.stored(Array($0))
    }
    origin.on("/a", .response(headers: [("Content-Encoding", "gzip")], body: members))
    // A byte a chunk: members are cut everywhere.
    let short = GzipBytes.stored([1, 2]) + GzipBytes.stored([3])
    origin.on("/b", .chunked(short.map { [$0] }, headers: [("Content-Encoding", "gzip")]))
    let transport = try loopbackTransport()
    #expect(try await transport.bytes(of: origin.url("/a")) == body)
    #expect(try await transport.bytes(of: origin.url("/b")) == [1, 2, 3])
  }

  @Test(arguments: [Array("junk".utf8), [0, 0, 0, 0], [0x1f], [0x1f, 0x1f, 0x8b]])
  func whatFollowsTheLastMemberIsPassedOver(rest: [UInt8]) async throws {
    let origin = try ScriptedOrigin()
    origin.on(
      "/a", .response(headers: [("Content-Encoding", "gzip")], body: GzipBytes.stored(pattern(1000)) + rest))
    #expect(try await loopbackTransport().bytes(of: origin.url("/a")) == pattern(1000))
  }

  @Test func oneCodingUponAnotherIsUnwrapped() async throws {
    let origin = try ScriptedOrigin()
    let twice = GzipBytes.stored(GzipBytes.stored(pattern(90_000)))
    origin.on("/a", .response(headers: [("Content-Encoding", "gzip, identity, gzip")], body: twice))
    #expect(try await loopbackTransport().bytes(of: origin.url("/a")) == pattern(90_000))
  }

  @Test(arguments: [true, false]) func deflateIsUnwrappedWithAndWithoutItsWrapping(isWrapped: Bool) async throws {
    let origin = try ScriptedOrigin()
    // A stored block (RFC 1951, section 3.2.4), alone or within RFC 1950 with its checksum: 1+1+1 and 2+3.
    let block: [UInt8] = [1, 2, 0, 0xfd, 0xff, 1, 1]
    let body = isWrapped ? [0x78, 0x9c] + block + [0, 5, 0, 3] : block
    origin.on("/a", .response(headers: [("Content-Encoding", "deflate")], body: body))
    #expect(try await loopbackTransport().bytes(of: origin.url("/a")) == [1, 1])
  }

  @Test func aStreamThatEndsBeforeItsTimeIsDamagedOrCutShort() async throws {
    let origin = try ScriptedOrigin()
    let part = Array(GzipBytes.stored(pattern(1000)).dropLast(20))
    let coding = [("Content-Encoding", "gzip")]
    origin.on("/whole", .response(headers: coding, body: part))
    origin.on("/chunked", .chunked([part], headers: coding))
    origin.on("/closed", .closeDelimited(part, headers: coding))
    origin.on("/cut", .cut(GzipBytes.stored(pattern(1000)), after: 500, headers: coding))
    let transport = try loopbackTransport()
    for target in ["/whole", "/chunked"] {
      let error = await failure { try await transport.bytes(of: origin.url(target)) }
      #expect(error?.code == .contentEncoding, "\(target)")
    }
    for target in ["/closed", "/cut"] {
      let error = await failure { try await transport.bytes(of: origin.url(target)) }
      #expect(error?.code == .bodyTruncated, "\(target)")
    }
  }

  @Test func anEmptyBodyNeedsNoUnwrapping() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(headers: [("Content-Encoding", "gzip")]))
    #expect(try await loopbackTransport().bytes(of: origin.url("/a")) == [])
  }

  @Test func whatLibcurlAloneKnowsIsAskedForAgainAndUnwrappedByIt() async throws {
    let origin = try ScriptedOrigin()
    // Brotli (RFC 7932): window of 16 bits, an uncompressed block of 3 bytes, an empty last block.
    let body: [UInt8] = [0x20, 0, 0x10] + Array("abc".utf8) + [3]
    origin.on("/a", .response(headers: [("Content-Encoding", "br")], body: body))
    let bytes = try await loopbackTransport().bytes(of: origin.url("/a"))
    #expect(bytes == Array("abc".utf8))
    #expect(origin.requests.count == 2)
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
