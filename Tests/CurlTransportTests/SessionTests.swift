import CurlTransport
import FetchPipeline
import Foundation
import PipelineTesting
import Testing

/// What a transport remembers between requests, and what it takes from the user's files.
@Suite(.timeLimit(.minutes(5)))
struct SessionTests {
  @Test func cookiesAreSentBackWhereTheyAreKept() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/set", .response(headers: [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/other")]))
    origin.on("/get", .response())
    for keeps in [false, true] {
      let transport = try loopbackTransport { $0.keepsCookies = keeps }
      _ = try await transport.bytes(of: origin.url("/set"))
      // Whichever handles serve them.
      async let first = transport.bytes(of: origin.url("/get"))
      async let second = transport.bytes(of: origin.url("/get"))
      _ = try await (first, second)
    }
    #expect(origin.requests(for: "/get").map { $0.header("Cookie") } == [nil, nil, "a=1", "a=1"])
  }

  @Test func netrcServesWhereNothingElseDoes() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response())
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("netrc-\(UUID().uuidString)")
    try Data("machine 127.0.0.1 login Aladdin password opensesame\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = try loopbackTransport {
      $0.usesNetrc = true
      $0.netrcFile = file.path
    }
    _ = try await transport.bytes(of: origin.url("/a"))
    _ = try await transport.get(origin.url("/a"), headers: ["Authorization": "Bearer s"]).body.collect(upTo: 0)
    _ = try await transport.bytes(of: "http://u:p@127.0.0.1:\(origin.port)/a")
    // base64 of Aladdin:opensesame and u:p
    #expect(
      origin.requests.map { $0.header("Authorization") } == [
        "Basic QWxhZGRpbjpvcGVuc2VzYW1l", "Bearer s", "Basic dTpw",
      ])
  }
}
