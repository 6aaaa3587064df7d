import FetchPipeline

/// The head of an answer: status, fields, and how the body is delimited (RFC 9112, section 6.3).
struct ResponseHead {
  /// The status code.
  let status: Int
  /// The fields, in order.
  let fields: HTTPFields
  /// The bytes that the consumer will get; nil where the head does not tell.
  let expectedLength: Int?
  /// Whether the end of the connection is the only end that the body has.
  let isCloseDelimited: Bool

  /// Parses the lines of a head, status line first; nil where that is none.
  ///
  /// - Parameter isHead: whether the request was a HEAD, which is answered without a body.
  init?(block: [UInt8], isHead: Bool) {
    var status: Int?
    var lines: [(name: ArraySlice<UInt8>, value: [UInt8])] = []
    for line in block.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if status == nil {
        status = Self.status(line)
        if status == nil { return nil }
      } else if line.first == 0x20 || line.first == 0x09 {
        // A folded line (RFC 9112, section 5.2) continues the value before it.
        if var last = lines.popLast() {
          last.value += [0x20] + Self.trimmed(line)
          lines.append(last)
        }
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex {
        lines.append((Self.trimmed(line[..<colon]), Array(Self.trimmed(line[(colon + 1)...]))))
      }
    }
    guard let status else { return nil }
    self.status = status
    var fields = HTTPFields()
    for (name, value) in lines { fields.append(.init(Self.text(name), Self.text(value))) }
    self.fields = fields

    let isBodiless = BodyFraming.isBodiless(status: status, isHead: isHead)
    let framing = BodyFraming(block: block)
    let length = framing.isChunked ? nil : framing.length
    expectedLength = isBodiless ? 0 : framing.codings.isEmpty ? length : nil
    isCloseDelimited = !isBodiless && !framing.isChunked && length == nil
  }

  /// Whether the status line is that of an interim answer. 101 is final: nothing else follows it.
  static func isInterim(_ block: [UInt8]) -> Bool {
    guard let status = status(ofBlock: block) else { return false }
    return (100..<200).contains(status) && status != 101
  }

  /// The code in the first line of a block.
  static func status(ofBlock block: [UInt8]) -> Int? {
    status(block.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") })
  }

  /// The code in `HTTP/1.1 200 OK`.
  private static func status(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20) else { return nil }
    let digits = line[space...].drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
    guard digits.count == 3 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
    return bytes[...last].drop(while: isSpace)
  }

  /// The text of a name or value: UTF-8 where it is valid, else ISO 8859-1, which it once was (RFC 9110, section 5.5).
  /// NUL and CR become spaces, as that section demands.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    if bytes.contains(where: { $0 == 0 || $0 == 0x0d }) {
      return text(bytes.map { $0 == 0 || $0 == 0x0d ? 0x20 : $0 })
    }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}
