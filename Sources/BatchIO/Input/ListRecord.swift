import FetchPipeline

/// One row's bytes, cut out of a list.
enum ListRecord: Sendable {
  /// A line, or a JSON value.
  case text(ArraySlice<UInt8>)
  /// The values of a line.
  case cells([[UInt8]])
  /// What cannot be cut, its first bytes, and why.
  case unreadable(ArraySlice<UInt8>, reason: String)

  /// A row of more bytes than it may have.
  static func tooLong(_ bytes: ArraySlice<UInt8>) -> ListRecord {
    .unreadable(bytes.prefix(ListBounds.shownOfLongRow), reason: "longer than 1 MiB")
  }

  /// A row of more values than it may have.
  static func tooWide(_ bytes: ArraySlice<UInt8>) -> ListRecord {
    .unreadable(
      bytes.prefix(ListBounds.shownOfLongRow), reason: "more than \(ListBounds.mostCells) columns")
  }
}

/// The bounds within which a list is cut into rows, so that memory does not depend on what is in it.
enum ListBounds {
  /// The most bytes of a row, without its line end.
  static let longestRow = 1 << 20
  /// The most values of a row: as many columns as the widest spreadsheets have. An empty value is one byte of a list, and
  /// many times that in memory.
  static let mostCells = 16_384
  /// The most bytes without a line end that are passed over.
  static let hopeless = 64 << 20
  /// How much is kept of a row that is too long.
  static let shownOfLongRow = 200

  /// What ends the run where there is no end of a line in sight.
  static var noLineEnd: PipelineError {
    PipelineError(.input, .invalidInput, "no end of a line within 64 MiB: this is not a list")
  }
}

/// Cuts a list into rows, fed with its bytes as they come. What was cut before an error is in `records` all the same.
protocol RecordSplitter {
  /// Takes the next bytes.
  mutating func feed(_ chunk: [UInt8], into records: inout [ListRecord]) throws
  /// Takes the end of the list.
  mutating func finish(into records: inout [ListRecord]) throws
}

extension ArraySlice<UInt8> {
  /// The bytes without spaces, tabs and line ends around them.
  func trimmingASCIIWhitespace() -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    var bytes = self
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
