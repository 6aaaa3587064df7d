import FetchPipeline

/// One row's bytes, cut out of a list.
enum ListRecord: Sendable {
  /// A line, or a JSON value.
  case text(ArraySlice<UInt8>)
  /// More bytes than a row may have; these are the first of them.
  case tooLong(ArraySlice<UInt8>)
}

/// The bounds within which a list is cut into rows, so that memory does not depend on what is in it.
enum ListBounds {
  /// The most bytes of a row, without its line end.
  static let longestRow = 1 << 20
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
