import FetchPipeline

/// A Huffman table (T.81, annex C and F.2.2) as look-ups of the bits that come next.
///
/// A block's symbols are codes with a run of zeros and a size, and then as many bits of the coefficient's value as the size
/// says. Both together are mostly short: one load gives all of it.
final class HuffmanTable {
  enum Kind { case dc, ac }

  /// The bits that `entries` is looked up by.
  static let bits: UInt64 = 11
  /// The bits that `skips` is looked up by.
  static let skipBits: UInt64 = 13
  /// What is added to the index of a coefficient where its block ends.
  static let endOfBlock = 128
  /// How far an entry leads beyond the coefficient before: an end of block, which is taken for a long run and a zero.
  static let longestStep = endOfBlock

  private static let noSkip: UInt16 = 64 << 4

  let kind: Kind
  /// As in DHT: how often each length occurs, and the symbols.
  let definition: [UInt8]
  /// By the next `bits` bits.
  let entries: UnsafePointer<HuffmanEntry>
  /// By the next `skipBits` bits, for coefficients whose values nobody needs: as many whole symbols as they hold, up to the
  /// end of the block. The bits that these take (4 bits), and what is to be added to the index: 64, which never fits, where not
  /// one symbol is whole, and throughout in tables for DC, which have one.
  let skips: UnsafePointer<UInt16>

  private let entryOwner: UnsafeMutablePointer<HuffmanEntry>
  private let skipOwner: UnsafeMutablePointer<UInt16>
  /// The codes of 12 to 16 bits: the first, how many there are, and where their symbols begin.
  private var long: [(length: UInt64, first: Int, count: Int, symbols: Int)] = []

  /// - Parameter definition: as in DHT, with as many symbols as it says.
  init(_ kind: Kind, _ definition: [UInt8]) throws(DecoderDeclined) {
    let codes = try Self.codes(of: definition)
    // A difference of DC values has at most 11 bits at 8-bit precision (F.1.2.1.1); libjpeg takes up to 15.
    guard kind == .ac || !codes.contains(where: { $0.symbol > 15 }) else { throw Self.broken }
    self.kind = kind
    self.definition = definition
    entryOwner = .allocate(capacity: 1 << Int(Self.bits))
    entryOwner.initialize(repeating: .none, count: 1 << Int(Self.bits))
    entries = UnsafePointer(entryOwner)
    let skipCount = kind == .ac ? 1 << Int(Self.skipBits) : 1
    skipOwner = .allocate(capacity: skipCount)
    skipOwner.initialize(repeating: Self.noSkip, count: skipCount)
    skips = UnsafePointer(skipOwner)
    var symbols = 16
    for length in 1...16 {
      let count = Int(definition[length - 1])
      if length > Int(Self.bits), count > 0, let first = codes.first(where: { $0.length == length }) {
        long.append((UInt64(length), first.bits, count, symbols))
      }
      symbols += count
    }
    fillEntries(codes)
    if kind == .ac { fillSkips(codes) }
  }

  deinit {
    entryOwner.deallocate()
    skipOwner.deallocate()
  }

  /// The entry of a code that is longer than `bits`, or `none` where `window` begins with no code.
  func longEntry(_ window: UInt64) -> HuffmanEntry {
    for codes in long {
      let index = Int(window &>> (64 &- codes.length)) &- codes.first
      guard index >= 0, index < codes.count else { continue }
      return HuffmanEntry(kind, symbol: definition[codes.symbols + index], length: Int(codes.length))
    }
    return .none
  }

  // MARK: Construction

  private struct Code {
    var bits: Int
    var length: Int
    var symbol: UInt8
  }

  private static let broken = DecoderDeclined("a Huffman table is broken")

  /// The codes, shortest first: each is the one before plus one, with zeros behind where it is longer (C.2).
  private static func codes(of definition: [UInt8]) throws(DecoderDeclined) -> [Code] {
    var codes: [Code] = []
    codes.reserveCapacity(definition.count - 16)
    var next = 0
    for length in 1...16 {
      for _ in 0..<definition[length - 1] {
        guard next < 1 << length, codes.count < definition.count - 16 else { throw Self.broken }
        codes.append(Code(bits: next, length: length, symbol: definition[16 + codes.count]))
        next += 1
      }
      next <<= 1
    }
    return codes
  }

  private func fillEntries(_ codes: [Code]) {
    let bits = Int(Self.bits)
    for code in codes where code.length <= bits {
      let entry = HuffmanEntry(kind, symbol: code.symbol, length: code.length)
      let size = entry.size
      guard entry.needsValue, code.length + size <= bits else {
        let rest = bits - code.length
        (entryOwner + code.bits << rest).update(repeating: entry, count: 1 << rest)
        continue
      }
      let rest = bits - code.length - size
      for value in 0..<(1 << size) {
        (entryOwner + (code.bits << size | value) << rest)
          .update(repeating: entry.completed(by: value), count: 1 << rest)
      }
    }
  }

  private func fillSkips(_ codes: [Code]) {
    let bits = Int(Self.skipBits)
    // What the first symbol of each look-up takes, value included, and what it adds.
    var single = [UInt16](repeating: 0, count: 1 << bits)
    for code in codes {
      let entry = HuffmanEntry(kind, symbol: code.symbol, length: code.length)
      let total = code.length + entry.size
      guard entry.isValid, total <= bits else { continue }
      let step = entry.run + 1
      let first = code.bits << (bits - code.length)
      for at in first..<(first + 1 << (bits - code.length)) { single[at] = UInt16(step << 4 | total) }
    }
    for window in 0..<(1 << bits) {
      var (used, step) = (0, 0)
      while used < bits {
        // Zeros come in from the right. A symbol that fits into what is left is known by bits that are there.
        let next = Int(single[window << used & (1 << bits - 1)])
        guard next != 0, used + next & 15 <= bits, (step + next >> 4) & (Self.endOfBlock - 1) < 64 else { break }
        used += next & 15
        step += next >> 4
        if step >= Self.endOfBlock { break }
      }
      if used > 0 { skipOwner[window] = UInt16(step << 4 | used) }
    }
  }
}

/// What a look-up gives: the bits that it takes, and what they mean.
///
/// From the lowest bit: the length (5), the kind (2), one unused, the run (8), the value (16, signed).
struct HuffmanEntry {
  private(set) var raw: Int32

  /// For bits that are not the beginning of a code, or only of a long one, or of a symbol that baseline files do not have.
  static let none = HuffmanEntry(raw: 0)

  private static let complete: Int32 = 1 << 5
  private static let incomplete: Int32 = 2 << 5

  private init(raw: Int32) {
    self.raw = raw
  }

  /// The entry of a symbol behind its code, whose value is still to be read.
  init(_ kind: HuffmanTable.Kind, symbol: UInt8, length: Int) {
    let size = Int32(symbol & 15)
    let length = Int32(length)
    if kind == .dc {
      raw = symbol > 11 ? 0 : size == 0 ? Self.complete | length : Self.incomplete | length | size << 16
      return
    }
    switch symbol {
    // Zeros, as far as these symbols lead, are coefficients like others.
    case 0x00: raw = Self.complete | length | Int32(HuffmanTable.endOfBlock - 1) << 8
    case 0xf0: raw = Self.complete | length | 15 << 8
    // At 8-bit precision coefficients have at most 10 bits (F.1.2.2.1).
    default:
      raw = size == 0 || size > 10 ? 0 : Self.incomplete | length | Int32(symbol >> 4) << 8 | size << 16
    }
  }

  /// This entry with its value, of which these are the bits.
  func completed(by bits: Int) -> HuffmanEntry {
    let value = Int32(truncatingIfNeeded: HuffmanEntry.value(of: bits, size: size))
    return HuffmanEntry(
      raw: Self.complete | Int32(length + size) | raw & 0xff00 | value &<< 16)
  }

  /// The value that bits of a size stand for: the lower half are the negative ones (F.2.2.1, EXTEND).
  @inline(__always)
  static func value(of bits: Int, size: Int) -> Int {
    bits &- (bits &>> (size &- 1) == 0 ? 1 &<< size &- 1 : 0)
  }

  /// The bits that are taken.
  @inline(__always)
  var length: Int { Int(raw & 31) }

  /// The coefficients that are 0 before this one.
  @inline(__always)
  var run: Int { Int(raw &>> 8 & 255) }

  /// Of a complete entry the coefficient.
  @inline(__always)
  var value: Int32 { raw &>> 16 }

  /// Of an incomplete entry the bits that the value has.
  var size: Int { needsValue ? Int(raw >> 16) : 0 }

  @inline(__always)
  var isComplete: Bool { raw & Self.complete != 0 }

  @inline(__always)
  var isValid: Bool { raw != 0 }

  /// Whether the value is still to be read.
  @inline(__always)
  var needsValue: Bool { raw & Self.incomplete != 0 }
}
