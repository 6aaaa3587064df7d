import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A stretch of entropy-coded data without the zero bytes that stand behind 0xff (T.81, B.1.1.5), with room behind it.
///
/// A file is read through it piece by piece, from one marker to the next, so that its size does not depend on the file's.
final class EntropyWindow {
  /// More than an MCU takes: 10 blocks (B.2.3) of 64 symbols, each of 16 bits and a value of at most 11, and the 16 bytes
  /// that a reader looks ahead. Where an MCU begins within the data, all that it reads is inside the window.
  static let margin = 2304
  /// Small enough for a processor's nearest cache beside the tables. The rest of a window, which moves to its beginning, does
  /// not move by a multiple of 4096 bytes, which processors take for an overlap.
  private static let capacity = 20_000

  private let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + margin)
  private var file = UnsafeRawBufferPointer(start: nil, count: 0)
  private var position = 0
  private var end: UnsafeMutablePointer<UInt8>
  /// Whether the data reach to a marker.
  private var isWhole = false
  /// A reader's place up to which an MCU may begin without asking `replenish`.
  private(set) var softLimit: UnsafePointer<UInt8>

  init() {
    base.initialize(repeating: 0, count: Self.capacity + Self.margin)
    end = base
    softLimit = UnsafePointer(base)
  }

  deinit {
    base.deallocate()
  }

  /// Begins to read a scan's data, which must stay where they are until `close`.
  func open(_ file: UnsafeRawBufferPointer, at offset: Int) {
    self.file = file
    position = offset
  }

  func close() {
    file = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// A reader of the data from here to the next marker. Nil where the file ends before.
  func beginSegment() -> BitReader? {
    end = base
    isWhole = false
    return fill() ? BitReader(UnsafePointer(base)) : nil
  }

  /// Makes sure that an MCU can be read. False where the data have ended: they end before a marker, or `reader` has gone
  /// beyond the marker.
  func replenish(_ reader: inout BitReader) -> Bool {
    if isWhole { return bitsLeft(of: reader) >= 0 }
    // The MCU before began a margin before the end or earlier, and did not take it all.
    let rest = UnsafePointer(end) - reader.next
    guard rest >= 0 else { return false }
    memmove(base, reader.next, rest)
    reader.next = UnsafePointer(base)
    end = base + rest
    return fill()
  }

  /// Whether `reader` has taken all up to the last byte before a marker, that is, all but the bits that fill it (F.1.2.3);
  /// and passes the marker, if it is `marker`.
  func endSegment(_ reader: BitReader, with marker: UInt8) -> Bool {
    guard isWhole, (0..<8).contains(bitsLeft(of: reader)) else { return false }
    // A whole segment ends with two bytes of the file.
    guard file[position + 1] == marker else { return false }
    position += 2
    return true
  }

  private func bitsLeft(of reader: BitReader) -> Int {
    (UnsafePointer(end) - reader.next) * 8 + Int(reader.count)
  }

  /// Reads on until the window is full or a marker comes. False where the file ends before that.
  private func fill() -> Bool {
    guard let source = file.baseAddress else { return false }
    while end < base + Self.capacity {
      let room = min(base + Self.capacity - end, file.count - position)
      guard room > 0 else { return false }
      guard let found = memchr(source + position, 0xff, room) else {
        memcpy(end, source + position, room)
        end += room
        position += room
        continue
      }
      let count = UnsafeRawPointer(found) - (source + position)
      memcpy(end, source + position, count)
      end += count
      position += count
      guard position + 1 < file.count else { return false }
      if file[position + 1] != 0 {
        isWhole = true
        // The bits behind the data are zeros, on every machine and after every file.
        memset(end, 0, Self.margin)
        softLimit = UnsafePointer(end)
        return true
      }
      // There is room: the stretch was searched for this byte.
      end.pointee = 0xff
      end += 1
      position += 2
    }
    softLimit = UnsafePointer(end - Self.margin)
    return true
  }
}

/// Reads bits of an `EntropyWindow`, the highest first.
struct BitReader {
  /// The bits that come next, from the highest; `count` of them are there, and below them lies what is read anew.
  private(set) var window: UInt64 = 0
  private(set) var count: UInt64 = 0
  /// The next byte.
  fileprivate(set) var next: UnsafePointer<UInt8>

  fileprivate init(_ start: UnsafePointer<UInt8>) {
    next = start
    refill()
  }

  /// Makes at least 56 bits of those that are there. Reads 8 bytes, wherever `next` is.
  @inline(__always)
  mutating func refill() {
    let bytes = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    window |= bytes &>> count
    // As many whole bytes as fit. Of the next one some bits may lie in the window already; the next refill gives them again.
    next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
    count |= 56
  }

  /// The next `count` bits, at least one.
  @inline(__always)
  func peek(_ count: UInt64) -> Int {
    Int(truncatingIfNeeded: window &>> (64 &- count))
  }

  /// Takes bits, no more than there are.
  @inline(__always)
  mutating func take(_ length: Int) {
    window &<<= UInt64(truncatingIfNeeded: length)
    count &-= UInt64(truncatingIfNeeded: length)
  }
}
