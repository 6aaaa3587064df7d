import FetchPipeline

/// Cuts a list into rows of values between separators; a value in quotes may hold separators, line ends and, doubled,
/// quotes (RFC 4180, section 2).
struct SeparatedValuesSplitter: RecordSplitter {
  private enum Place {
    /// Before the first byte of a value.
    case start
    /// In a value without quotes.
    case plain
    /// In a value with quotes.
    case quoted
    /// Behind a quote in a value with quotes: the end, or half of a doubled one.
    case behindQuote
    /// In a row that is too long.
    case passing
  }

  private let separator: UInt8
  private var place = Place.start
  private var cells: [[UInt8]] = []
  private var cell: [UInt8] = []
  /// Whether the row has a value in quotes: then it is not blank.
  private var hasQuotes = false
  /// The bytes of the row so far.
  private var length = 0

  init(separator: UInt8) {
    self.separator = separator
  }

  mutating func feed(_ chunk: [UInt8], into records: inout [ListRecord]) throws {
    for byte in chunk {
      length += 1
      if length > ListBounds.longestRow + 2, place != .passing { try pass(into: &records) }
      switch (place, byte) {
      case (.passing, UInt8(ascii: "\n")): begin()
      case (.passing, _): if length > ListBounds.hopeless { throw ListBounds.noLineEnd }
      case (.quoted, UInt8(ascii: "\"")): place = .behindQuote
      case (.quoted, _): cell.append(byte)
      case (.behindQuote, UInt8(ascii: "\"")):
        cell.append(byte)
        place = .quoted
      case (.start, UInt8(ascii: "\"")):
        place = .quoted
        hasQuotes = true
      case (_, separator):
        endCell()
      case (_, UInt8(ascii: "\n")):
        length -= 1
        if place == .plain, cell.last == UInt8(ascii: "\r") {
          cell.removeLast()
          length -= 1
        }
        endRow(into: &records)
      case (.behindQuote, UInt8(ascii: "\r")): length -= 1
      default:
        // What follows a closing quote belongs to the value all the same.
        cell.append(byte)
        place = .plain
      }
    }
  }

  mutating func finish(into records: inout [ListRecord]) throws {
    switch place {
    case .passing: break
    case .quoted:
      let text = cells.first ?? cell
      records.append(
        .unreadable(text.prefix(ListBounds.shownOfLongRow), reason: "a quote has no end, and the list ends in it"))
    default:
      if cell.last == UInt8(ascii: "\r") { cell.removeLast() }
      endRow(into: &records)
    }
    begin()
  }

  /// One value more than a row may have is kept, to tell.
  private mutating func endCell() {
    if cells.count <= ListBounds.mostCells { cells.append(cell) }
    cell = []
    place = .start
  }

  private mutating func endRow(into records: inout [ListRecord]) {
    if length > ListBounds.longestRow {
      records.append(.tooLong((cells.first ?? cell)[...]))
    } else if !cells.isEmpty || !cell.isEmpty || hasQuotes {
      endCell()
      records.append(cells.count > ListBounds.mostCells ? .tooWide((cells.first ?? cell)[...]) : .cells(cells))
    }
    begin()
  }

  private mutating func begin() {
    cells = []
    cell = []
    hasQuotes = false
    length = 0
    place = .start
  }

  /// Gives the row up; what comes until the next line end is passed over, be it in quotes or not.
  private mutating func pass(into records: inout [ListRecord]) throws {
    records.append(.tooLong((cells.first ?? cell)[...]))
    let passed = length
    begin()
    length = passed
    place = .passing
  }
}
