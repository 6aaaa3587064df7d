import FetchPipeline

/// How the body of an answer ends and what it is wrapped in, as the lines of its head say (RFC 9112, section 6.3; RFC 9110,
/// section 8.4).
struct BodyFraming {
  /// Whether Transfer-Encoding delimits the body.
  private(set) var isChunked = false
  /// What Content-Length says; nil where there is none, or more than can be counted.
  private(set) var length: Int?
  /// Why the body's end cannot be told: Content-Length is no number, or says two things.
  private(set) var flaw: String?
  /// Whether the connection ends with the answer: HTTP/1.0, or Connection says so (section 9.3).
  private(set) var endsConnection = false
  /// The codings of the body in lower case, in the order in which they were applied.
  private(set) var codings: [String] = []

  /// Reads the lines of a head.
  init(block: [UInt8]) {
    var lengths: [String] = []
    endsConnection = !block.starts(with: "HTTP/1.1".utf8)
    for (name, value) in Self.fields(block) {
      switch name {
      case "content-length": lengths += value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
      case "transfer-encoding": isChunked = true
      case "connection": if value.lowercased().contains("close") { endsConnection = true }
      default:
        codings += value.split(separator: ",").map { $0.trimmed.lowercased() }
          .filter { !["", "identity", "none"].contains($0) }
      }
    }
    if let text = lengths.first(where: { $0.isEmpty || !$0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) {
      flaw = "Content-Length is no number: \(text.prefix(40))"
    } else if Set(lengths.map { $0.drop { $0 == "0" } }).count > 1 {
      flaw = "there are several lengths: Content-Length \(lengths.map { $0.prefix(20) }.joined(separator: ", "))"
    } else if let digits = lengths.first {
      length = Int(digits)
    }
  }

  /// Whether an answer has no body, whatever its head says.
  static func isBodiless(status: Int, isHead: Bool) -> Bool { isHead || status == 204 || status == 304 }

  /// The fields that matter here, names in lower case, folded lines joined.
  private static func fields(_ block: [UInt8]) -> [(name: String, value: Substring)] {
    var fields: [(name: String, value: Substring)] = []
    var isWanted = false
    for line in block.split(separator: UInt8(ascii: "\n")) {
      if line.first == 0x20 || line.first == 0x09 {
        if isWanted { fields[fields.count - 1].value += " " + text(line) }
        continue
      }
      isWanted = false
      // C or T: most lines need no closer look.
      guard let first = line.first, [0x43, 0x63, 0x54, 0x74].contains(first),
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
      else { continue }
      let name = text(line[..<colon]).trimmed.lowercased()
      guard ["content-length", "transfer-encoding", "content-encoding", "connection"].contains(name) else { continue }
      isWanted = true
      fields.append((name, Substring(text(line[(colon + 1)...]).trimmed)))
    }
    return fields
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> Substring {
    Substring(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
  }
}

extension StringProtocol {
  /// Without spaces and tabs at its ends.
  fileprivate var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let bytes = Array(utf8)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(decoding: bytes[...last].drop(while: isSpace), as: UTF8.self)
  }
}
