/// Tells from its first bytes how a list is written.
struct FormatProbe {
  /// What is known already; `auto` for nothing.
  let format: ListFormat
  /// What a header would call the column of URLs.
  let urlField: String

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]
  /// More than this is not looked at.
  private static let enough = 65_536

  /// The format and the length of the byte order mark; nil where more bytes are needed.
  func format(of head: [UInt8], isAll: Bool) -> (format: ListFormat, markLength: Int)? {
    if !isAll, head.count < 3, Self.mark.starts(with: head) { return nil }
    let markLength = head.starts(with: Self.mark) ? 3 : 0
    if format != .auto { return (format, markLength) }
    let isEnough = isAll || head.count >= Self.enough
    let text = head.dropFirst(markLength).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    switch text.first {
    case UInt8(ascii: "{"): return (.jsonl, markLength)
    case UInt8(ascii: "["): return (.json, markLength)
    case nil: return isEnough ? (.txt, markLength) : nil
    default:
      guard let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? (isEnough ? text.endIndex : nil) else { return nil }
      return (separatedFormat(header: text[..<end]) ?? .txt, markLength)
    }
  }

  /// The format of a list with that first line, where one of several columns is the URL's. A URL with commas is none.
  private func separatedFormat(header: ArraySlice<UInt8>) -> ListFormat? {
    if String(decoding: header, as: UTF8.self).contains("://") { return nil }
    for (separator, format) in [(UInt8(ascii: ","), ListFormat.csv), (UInt8(ascii: "\t"), .tsv)] {
      var splitter = SeparatedValuesSplitter(separator: separator)
      var records: [ListRecord] = []
      try? splitter.feed(Array(header) + [0x0a], into: &records)
      guard case .cells(let cells)? = records.first, cells.count > 1 else { continue }
      if cells.contains(where: { $0[...].trimmingASCIIWhitespace().elementsEqual(urlField.utf8) }) { return format }
    }
    return nil
  }
}
