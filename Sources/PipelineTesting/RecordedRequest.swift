/// A request as it came over the wire.
public struct RecordedRequest: Sendable, Hashable {
  /// The method.
  public let method: String
  /// The target of the request line, byte for byte.
  public let target: String
  /// The header lines, in order, as they were written.
  public let fieldLines: [String]
  /// The body.
  public let body: [UInt8]

  /// The value of the first field of that name.
  public func header(_ name: String) -> String? {
    for line in fieldLines {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else { continue }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return nil
  }

  /// The request at the start of `bytes`, and how many bytes it has; nil while it is not complete.
  static func parse(_ bytes: [UInt8]) -> (request: RecordedRequest, length: Int)? {
    let separator = Array("\r\n\r\n".utf8)
    guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }) else { return nil }
    let lines = bytes[..<headEnd].split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)
    }
    guard let first = lines.first else { return nil }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    let bodyStart = headEnd + separator.count
    let head = RecordedRequest(
      method: words.first.map(String.init) ?? "", target: words.dropFirst().dropLast().joined(separator: " "),
      fieldLines: Array(lines.dropFirst()), body: [])
    let length = head.header("Content-Length").flatMap { Int($0) } ?? 0
    guard bytes.count - bodyStart >= length else { return nil }
    let request = RecordedRequest(
      method: head.method, target: head.target, fieldLines: head.fieldLines,
      body: Array(bytes[bodyStart..<(bodyStart + length)]))
    return (request, bodyStart + length)
  }
}
