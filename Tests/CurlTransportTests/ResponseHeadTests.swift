import FetchPipeline
import Testing

@testable import CurlTransport

/// How heads are gathered and read.
struct ResponseHeadTests {
  private func parse(_ text: String, isHead: Bool = false) -> ResponseHead? {
    ResponseHead(block: Array(text.utf8), isHead: isHead)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n", 12, false),
    ("HTTP/1.1 200\r\nContent-Length: 12\r\n", 12, false),
    ("HTTP/1.0 200 OK\nContent-Length:12\n", 12, false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 12, 12\r\n", 12, false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 012\r\n", 12, false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", 0, false),
    ("HTTP/1.1 200 OK\r\n", nil, true),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n", nil, true),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", nil, false),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 12\r\n", nil, false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Encoding: gzip\r\n", nil, false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Encoding: Identity\r\n", 12, false),
    ("HTTP/1.1 204 No Content\r\n", 0, false),
    ("HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n", 0, false),
  ])
  func framing(text: String, length: Int?, isCloseDelimited: Bool) throws {
    let head = try #require(parse(text))
    #expect(head.expectedLength == length)
    #expect(head.isCloseDelimited == isCloseDelimited)
  }

  @Test func answersToHeadHaveNoBody() throws {
    let head = try #require(parse("HTTP/1.1 200 OK\r\n", isHead: true))
    #expect(head.expectedLength == 0)
    #expect(!head.isCloseDelimited)
  }

  @Test(arguments: ["", "\r\n", "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "ICY 200 OK\r\n", "HTTP/1.1 abc\r\n"])
  func whatIsNoStatusLineIsRefused(text: String) {
    #expect(parse(text) == nil)
  }

  @Test func namesAndValuesAreTrimmed() throws {
    let head = try #require(parse("HTTP/1.1 200 OK\r\nA : \t1 2\t \r\nB:\r\n: none\r\nC: a:b\r\n"))
    #expect(head.fields.map(\.name) == ["A", "B", "C"])
    #expect(head.fields.map(\.value) == ["1 2", "", "a:b"])
  }

  @Test func nulAndBareReturnBecomeSpaces() throws {
    let head = try #require(parse("HTTP/1.1 200 OK\r\nA: x\u{0}y\rz\r\n"))
    #expect(head.fields["A"] == "x y z")
  }

  @Test func linesAreGatheredUpToTheFinalHead() {
    var head = HeadAssembler()
    #expect(head.add("HTTP/1.1 100 Continue\r\n") == .incomplete)
    #expect(head.add("X: 1\r\n") == .incomplete)
    #expect(head.add("\r\n") == .incomplete)
    #expect(head.add("HTTP/1.1 200 OK\r\n") == .incomplete)
    #expect(head.add("\n") == .complete)
    #expect(head.add("Trailer: 1\r\n") == .incomplete)
    #expect(head.add("\r\n") == .incomplete)
    #expect(head.takeBlock() == Array("HTTP/1.1 200 OK\r\n".utf8))
  }

  @Test func switchingProtocolsIsFinal() {
    var head = HeadAssembler()
    #expect(head.add("HTTP/1.1 101 Switching Protocols\r\n") == .incomplete)
    #expect(head.add("\r\n") == .complete)
  }

  @Test func theLimitCountsAllLines() {
    var head = HeadAssembler()
    // 2^18 bytes in all are allowed.
    #expect(head.add(String(repeating: "a", count: 262_140)) == .incomplete)
    #expect(head.add("12345") == .tooLarge)
    #expect(head.add("1234") == .incomplete)
    #expect(head.add("1") == .tooLarge)
    head.reset()
    #expect(head.add("1") == .incomplete)
  }
}

extension HeadAssembler {
  fileprivate mutating func add(_ line: String) -> Step {
    Array(line.utf8).withUnsafeBytes { add($0) }
  }
}
