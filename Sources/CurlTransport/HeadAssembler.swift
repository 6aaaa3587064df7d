/// Gathers the header lines of an answer, as libcurl hands them over, into the block of the final one.
///
/// Interim answers (1xx, RFC 9110, section 15.2) and trailers are passed over, but count against the limit.
struct HeadAssembler {
  /// What a line has led to.
  enum Step {
    /// The head goes on.
    case incomplete
    /// The head of the final answer is complete.
    case complete
    /// More than `limit` bytes of header lines.
    case tooLarge
  }

  /// The most bytes of header lines in one exchange, trailers and interim answers included.
  static let limit = 262_144

  private(set) var block: [UInt8] = []
  private var total = 0
  private var isComplete = false

  /// Takes one line with its end.
  mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
    guard line.count <= Self.limit - total else { return .tooLarge }
    total += line.count
    if isComplete { return .incomplete }
    let isBlank = line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    guard isBlank else {
      block.append(contentsOf: line)
      return .incomplete
    }
    if ResponseHead.isInterim(block) {
      block.removeAll(keepingCapacity: true)
      return .incomplete
    }
    isComplete = true
    return .complete
  }

  /// Hands the block over, and is ready for the next exchange.
  mutating func takeBlock() -> [UInt8] {
    let taken = block
    block = []
    return taken
  }

  /// Forgets the exchange.
  mutating func reset() {
    block.removeAll(keepingCapacity: true)
    total = 0
    isComplete = false
  }
}
