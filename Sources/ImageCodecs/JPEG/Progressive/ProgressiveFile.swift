import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The scans of a progressive Huffman JPEG, found by their markers without decoding any (ITU-T T.81, annex B).
///
/// Only the plain form is read: a marker directly behind each segment and each scan, every length exact, an EOI. All else is
/// declined.
struct ProgressiveFile {
  private(set) var scans: [ProgressiveScan] = []
  /// Behind the EOI marker.
  private(set) var end = 0
  /// Behind the header of the first scan.
  private var dataOffset = 0
  private var ids: [UInt8] = []
  private var tables: [Int] = []
  private var quantizers: [Int: [Int]] = [:]

  /// - Parameter limit: the most scans that are looked for; one more is found at most.
  init(_ file: UnsafeRawBufferPointer, scanLimit limit: Int) throws(DecoderDeclined) {
    guard file.count >= 4, file[0] == 0xff, file[1] == 0xd8 else { throw DecoderDeclined("no SOI") }
    var at = 2
    while scans.count <= limit {
      guard file.count - at >= 2, file[at] == 0xff else { throw DecoderDeclined("no marker behind a segment") }
      let marker = file[at + 1]
      if marker == 0xd9, !scans.isEmpty {
        end = at + 2
        return
      }
      guard file.count - at >= 4 else { throw DecoderDeclined("a segment is cut off") }
      let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
      guard length >= 2, length <= file.count - at - 2 else { throw DecoderDeclined("a segment is cut off") }
      let content = UnsafeRawBufferPointer(rebasing: file[(at + 4)..<(at + 2 + length)])
      let start = at
      at += 2 + length
      switch marker {
      case 0xc2: try readFrame(content)
      case 0xdb: try readQuantizers(content)
      case 0xc4, 0xdd, 0xe0...0xef, 0xfe: break
      case 0xda:
        if scans.isEmpty { dataOffset = at }
        at = try Self.endOfData(in: file, from: at)
        try readScan(content, range: start..<at)
      default: throw DecoderDeclined("a marker that progressive files do not have")
      }
    }
  }

  /// The parts of the file, from the first scan's data on, without the scans that are not kept; the first one always is.
  func parts(keeping kept: [Int]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = dataOffset
    for (index, scan) in scans.enumerated() where index > 0 && !kept.contains(index) {
      if start < scan.range.lowerBound { parts.append(start..<scan.range.lowerBound) }
      start = scan.range.upperBound
    }
    parts.append(start..<end)
    return parts
  }

  /// Where the marker is that ends the coded data which begin at `start`.
  private static func endOfData(in file: UnsafeRawBufferPointer, from start: Int) throws(DecoderDeclined) -> Int {
    var at = start
    while at < file.count, let base = file.baseAddress, let found = memchr(base + at, 0xff, file.count - at) {
      at = UnsafeRawPointer(found) - base
      guard at + 1 < file.count else { break }
      switch file[at + 1] {
      case 0, 0xd0...0xd7: at += 2
      // Fill bytes are legal (B.1.1.2) and rare.
      case 0xff: throw DecoderDeclined("fill bytes")
      default: return at
      }
    }
    throw DecoderDeclined("a scan is cut off")
  }

  private mutating func readFrame(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    guard ids.isEmpty, content.count >= 6, content[0] == 8, content[1] | content[2] != 0 else {
      throw Self.irregular("SOF")
    }
    let count = Int(content[5])
    guard (1...4).contains(count), content.count == 6 + count * 3 else { throw Self.irregular("SOF") }
    for index in 0..<count {
      let id = content[6 + index * 3]
      guard !ids.contains(id) else { throw Self.irregular("SOF") }
      ids.append(id)
      tables.append(Int(content[8 + index * 3]))
    }
  }

  private mutating func readQuantizers(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    // Behind the first scan they would be those of some components and not of others.
    guard scans.isEmpty else { throw Self.irregular("DQT") }
    var at = 0
    while at < content.count {
      let (size, number) = (Int(content[at] >> 4) + 1, Int(content[at] & 15))
      guard size <= 2, number < 4, content.count - at > 64 * size else { throw Self.irregular("DQT") }
      let first = at + 1
      quantizers[number] = (0..<64).map { index in
        size == 1
          ? Int(content[first + index]) : Int(content[first + index * 2]) << 8 | Int(content[first + index * 2 + 1])
      }
      at += 1 + 64 * size
    }
  }

  /// The quantisers of each component in zigzag order; nil where one is not defined.
  var quantizersOfComponents: [[Int]]? {
    let found = tables.compactMap { quantizers[$0] }
    return found.count == tables.count ? found : nil
  }

  private mutating func readScan(_ content: UnsafeRawBufferPointer, range: Range<Int>) throws(DecoderDeclined) {
    guard !content.isEmpty else { throw Self.irregular("SOS") }
    let count = Int(content[0])
    guard (1...4).contains(count), content.count == 4 + count * 2 else { throw Self.irregular("SOS") }
    var components: [Int] = []
    for index in 0..<count {
      guard let component = ids.firstIndex(of: content[1 + index * 2]), !components.contains(component) else {
        throw Self.irregular("SOS")
      }
      components.append(component)
    }
    let at = 1 + count * 2
    let (first, last) = (Int(content[at]), Int(content[at + 1]))
    let (high, low) = (Int(content[at + 2] >> 4), Int(content[at + 2] & 15))
    // G.1.1.1.1: DC by itself, for several components maybe; AC of one component. G.1.1.1.2: a bit at a time.
    guard first <= last, last < 64, first == 0 ? last == 0 : count == 1, high == 0 || high == low + 1, low <= 13 else {
      throw Self.irregular("SOS")
    }
    scans.append(
      ProgressiveScan(range: range, components: components, spectrum: first...last, high: high, low: low))
  }

  private static func irregular(_ segment: String) -> DecoderDeclined { DecoderDeclined("\(segment) is irregular") }
}
