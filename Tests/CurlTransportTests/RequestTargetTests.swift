import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// What is asked for is what was written, encoded once where it must be.
@Suite(.timeLimit(.minutes(5)))
struct RequestTargetTests {
  @Test(arguments: [
    ("/%E5%9B%BE.jpg", "/%E5%9B%BE.jpg"),
    ("/%e5%9b%be.jpg", "/%e5%9b%be.jpg"),
    ("/图.jpg", "/%E5%9B%BE.jpg"),
    ("/a b.jpg", "/a%20b.jpg"),
    ("/a%20b.jpg", "/a%20b.jpg"),
    ("/100%25.jpg", "/100%25.jpg"),
    ("/100%.jpg", "/100%.jpg"),
    ("/a/../b/./c.jpg", "/b/c.jpg"),
    ("/a%2Fb.jpg", "/a%2Fb.jpg"),
    ("/a//b.jpg", "/a//b.jpg"),
    ("/a.jpg#part", "/a.jpg"),
    ("/a.jpg?", "/a.jpg?"),
    ("/a.jpg?x=a b&y=ü&z=%2B+|#f", "/a.jpg?x=a%20b&y=%C3%BC&z=%2B+|"),
    ("/a.jpg?sig=a/../b", "/a.jpg?sig=a/../b"),
    ("/~u/[1]@2:3;p=1,(x)'.jpg", "/~u/[1]@2:3;p=1,(x)'.jpg"),
    ("", "/"),
    ("?q=1", "/?q=1"),
  ])
  func targetIsAskedForAsWritten(written: String, asked: String) async throws {
    let origin = try ScriptedOrigin()
    origin.on(asked, .response())
    let response = try await loopbackTransport().get(origin.url(written))
    #expect(response.status == 200)
    #expect(origin.requests.map(\.target) == [asked])
    #expect(origin.requests[0].header("Host") == "127.0.0.1:\(origin.port)")
  }

  @Test func aLongTargetIsAskedForInFull() async throws {
    let origin = try ScriptedOrigin()
    let target = "/a.jpg?signature=" + String(repeating: "0123456789abcdef", count: 500)
    origin.on(target, .response())
    #expect(try await loopbackTransport().get(origin.url(target)).status == 200)
  }
}
