/// What an origin does when a request has come: steps, in order.
///
/// After the last step the connection waits for the next request, unless a step has ended it.
public struct ScriptedReply: Sendable {
  /// One thing to do.
  public enum Step: Sendable {
    /// Send bytes.
    case send([UInt8])
    /// Send bytes a few at a time, with a pause after each part.
    case drip([UInt8], count: Int, every: Duration)
    /// Send the bytes over and over, until the other side goes.
    case repeatForever([UInt8])
    /// Do nothing for a while.
    case pause(Duration)
    /// Do nothing until the latch is open.
    case wait(Latch)
    /// Do nothing until the other side goes.
    case hang
    /// Close the connection in order (FIN).
    case close
    /// Break the connection (RST).
    case reset
  }

  /// The steps.
  public var steps: [Step]

  /// A reply of these steps.
  public init(_ steps: [Step]) {
    self.steps = steps
  }

  /// The bytes of a head: status line, fields, empty line.
  public static func head(_ status: Int, _ headers: [(String, String)]) -> [UInt8] {
    let lines = ["HTTP/1.1 \(status) \(reason(status))"] + headers.map { "\($0.0): \($0.1)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// An answer with Content-Length.
  public static func response(
    _ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []
  ) -> ScriptedReply {
    ScriptedReply([.send(head(status, headers + [("Content-Length", String(body.count))]) + body)])
  }

  /// A redirect without a body.
  public static func redirect(to location: String, status: Int = 302) -> ScriptedReply {
    response(status, headers: [("Location", location)])
  }

  /// An answer in chunks; without the last, empty one where it is not `isComplete`, and then the connection is closed.
  public static func chunked(
    _ chunks: [[UInt8]], headers: [(String, String)] = [], isComplete: Bool = true
  ) -> ScriptedReply {
    let head = head(200, headers + [("Transfer-Encoding", "chunked")])
    let body = chunks.flatMap(chunk)
    return ScriptedReply([.send(head + body + (isComplete ? chunk([]) : []))] + (isComplete ? [] : [.close]))
  }

  /// An answer that ends with the connection.
  public static func closeDelimited(_ body: [UInt8], headers: [(String, String)] = []) -> ScriptedReply {
    ScriptedReply([.send(head(200, headers + [("Connection", "close")]) + body), .close])
  }

  /// An answer that announces `body` and closes the connection after `count` bytes of it.
  public static func cut(_ body: [UInt8], after count: Int, headers: [(String, String)] = []) -> ScriptedReply {
    let head = head(200, headers + [("Content-Length", String(body.count))])
    return ScriptedReply([.send(head + body.prefix(max(count, 0))), .close])
  }

  /// An answer without end: 64 KiB blocks, in chunks or until the connection is closed.
  public static func endless(inChunks: Bool = false, headers: [(String, String)] = []) -> ScriptedReply {
    let block = [UInt8](repeating: 0x61, count: 65_536)
    if inChunks {
      return ScriptedReply([
        .send(head(200, headers + [("Transfer-Encoding", "chunked")])), .repeatForever(chunk(block)),
      ])
    }
    return ScriptedReply([.send(head(200, headers + [("Connection", "close")])), .repeatForever(block)])
  }

  /// Nothing but these bytes, then the connection is closed.
  public static func raw(_ text: String) -> ScriptedReply {
    ScriptedReply([.send(Array(text.utf8)), .close])
  }

  /// The same after a while.
  public func delayed(by duration: Duration) -> ScriptedReply {
    ScriptedReply([.pause(duration)] + steps)
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + [0x0d, 0x0a]
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}
