/// Tells from its first bytes how a list is written.
struct FormatProbe {
  /// What is known already; `auto` for nothing.
  let format: ListFormat
  /// What a header would call the column of URLs.
  let urlField: String

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// The format and the length of the byte order mark; nil where more bytes are needed.
  mutating func format(of head: [UInt8], isAll: Bool) -> (format: ListFormat, markLength: Int)? {
    if !isAll, head.count < 3, Self.mark.starts(with: head) { return nil }
    let markLength = head.starts(with: Self.mark) ? 3 : 0
    if format != .auto { return (format, markLength) }
    let text = head.dropFirst(markLength).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    switch text.first {
    case nil: return isAll || head.count > 65_536 ? (.txt, markLength) : nil
    case UInt8(ascii: "{"): return (.jsonl, markLength)
    default: return (.txt, markLength)
    }
  }
}
