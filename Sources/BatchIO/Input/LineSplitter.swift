import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cuts a list into lines that end in LF or CRLF.
struct LineSplitter: RecordSplitter {
  /// A line whose end has not come.
  private var pending: [UInt8] = []
  /// The bytes passed over of a line that is too long; nil while there is none.
  private var passed: Int?

  mutating func feed(_ chunk: [UInt8], into records: inout [ListRecord]) throws {
    var start = 0
    while let end = Self.lineFeed(in: chunk, from: start) {
      try take(chunk[start..<end], isEnd: true, into: &records)
      start = end + 1
    }
    if start < chunk.count { try take(chunk[start...], isEnd: false, into: &records) }
  }

  mutating func finish(into records: inout [ListRecord]) throws {
    if passed != nil || !pending.isEmpty { try take([], isEnd: true, into: &records) }
  }

  private mutating func take(_ piece: ArraySlice<UInt8>, isEnd: Bool, into records: inout [ListRecord]) throws {
    if let before = passed {
      passed = before + piece.count
      if before + piece.count > ListBounds.hopeless { throw ListBounds.noLineEnd }
      guard isEnd else { return }
      passed = nil
      records.append(.tooLong(pending[...]))
      pending = []
    } else if isEnd {
      var line = piece
      if !pending.isEmpty {
        pending += piece
        line = pending[...]
        pending = []
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      records.append(
        line.count > ListBounds.longestRow ? .tooLong(line) : .text(line))
    } else {
      pending += piece
      // One more for a carriage return.
      guard pending.count > ListBounds.longestRow + 1 else { return }
      passed = pending.count
      pending = Array(pending.prefix(ListBounds.shownOfLongRow))
    }
  }

  private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress,
        let found = memchr(base + start, 0x0a, buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
