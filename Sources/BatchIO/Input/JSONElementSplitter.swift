import FetchPipeline

/// Cuts a JSON list into its elements, without reading them: they end where brackets and quotes are closed. Values one
/// after the other without a list around them are cut as well.
struct JSONElementSplitter: RecordSplitter {
  private enum Place {
    /// Before, between and behind elements.
    case between
    /// In a number or word.
    case scalar
    /// In an object, a list or a string.
    case nested
  }

  private var place = Place.between
  /// Whether the list has begun; nil before anything has.
  private var isInList: Bool?
  private var isEnded = false
  private var element: [UInt8] = []
  /// The open brackets of the element.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The bytes of the element so far, also where they are too many to be kept.
  private var length = 0

  mutating func feed(_ chunk: [UInt8], into records: inout [ListRecord]) throws {
    for byte in chunk {
      switch place {
      case .between: try between(byte)
      case .scalar: try scalar(byte, into: &records)
      case .nested:
        try keep(byte)
        nested(byte, into: &records)
      }
    }
  }

  mutating func finish(into records: inout [ListRecord]) throws {
    let isCut = place == .nested
    if place != .between { end(into: &records) }
    if isCut || isInList == true && !isEnded {
      throw PipelineError(.input, .corrupt, "the JSON list ends before its closing bracket")
    }
  }

  private mutating func between(_ byte: UInt8) throws {
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: return
    case UInt8(ascii: "[") where isInList == nil:
      isInList = true
      return
    case UInt8(ascii: ",") where isInList == true && !isEnded: return
    case UInt8(ascii: "]") where isInList == true && !isEnded:
      isEnded = true
      return
    default: break
    }
    if isEnded { throw PipelineError(.input, .corrupt, "something follows the closing bracket of the JSON list") }
    isInList = isInList ?? false
    try keep(byte)
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      place = .nested
      depth = 1
    case UInt8(ascii: "\""):
      place = .nested
      isInString = true
    default: place = .scalar
    }
  }

  private mutating func scalar(_ byte: UInt8, into records: inout [ListRecord]) throws {
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: ","), UInt8(ascii: "]"):
      end(into: &records)
      try between(byte)
    default: try keep(byte)
    }
  }

  private mutating func nested(_ byte: UInt8, into records: inout [ListRecord]) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        if depth == 0 { end(into: &records) }
      }
      return
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if depth == 0 { end(into: &records) }
    default: break
    }
  }

  private mutating func keep(_ byte: UInt8) throws {
    length += 1
    if length <= ListBounds.longestRow {
      element.append(byte)
    } else if length > ListBounds.hopeless {
      throw PipelineError(.input, .invalidInput, "no end of an element within 64 MiB: this is not a list")
    }
  }

  private mutating func end(into records: inout [ListRecord]) {
    records.append(length > ListBounds.longestRow ? .tooLong(element[...]) : .text(element[...]))
    element = []
    length = 0
    depth = 0
    isInString = false
    isEscaped = false
    place = .between
  }
}
