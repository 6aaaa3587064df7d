import FetchPipeline
import ImageCodecs
import Testing

/// Writes TIFF blocks (TIFF 6.0, section 2).
struct TIFFBlock {
  var isLittleEndian = true
  /// Entries of the first directory: tag, type, count and value field.
  var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []
  var directoryOffset = 8

  /// A block with an orientation among other tags, as the standard has it: a SHORT.
  static func orientation(_ value: Int, isLittleEndian: Bool) -> TIFFBlock {
    var block = TIFFBlock(isLittleEndian: isLittleEndian)
    block.entries = [
      (0x010f, 2, 4, Array("abc\0".utf8)), (0x0112, 3, 1, block.short(value) + [0, 0]),
      (0x0128, 3, 1, block.short(2) + [0, 0]),
    ]
    return block
  }

  func short(_ value: Int) -> [UInt8] {
    let bytes = [UInt8(value & 255), UInt8(value >> 8 & 255)]
    return isLittleEndian ? bytes : bytes.reversed()
  }

  func long(_ value: Int) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(value >> ($0 * 8) & 255) }
    return isLittleEndian ? bytes : bytes.reversed()
  }

  var bytes: [UInt8] {
    let head = Array((isLittleEndian ? "II" : "MM").utf8) + short(42) + long(directoryOffset)
    return head + short(entries.count)
      + entries.flatMap { short($0.tag) + short($0.type) + long($0.count) + $0.value } + long(0)
  }
}

@Suite("EXIF orientation")
struct EXIFTests {
  private func orientation(_ bytes: [UInt8]) -> Orientation? {
    bytes.withUnsafeBytes { EXIF.orientation(of: $0) }
  }

  @Test(arguments: 1...8, [true, false])
  func allValues(_ value: Int, isLittleEndian: Bool) {
    let found = orientation(TIFFBlock.orientation(value, isLittleEndian: isLittleEndian).bytes)
    #expect(found?.rawValue == value)
  }

  @Test("A LONG is read too, which some write", arguments: [true, false])
  func long(_ isLittleEndian: Bool) {
    var block = TIFFBlock(isLittleEndian: isLittleEndian)
    block.entries = [(0x0112, 4, 1, block.long(6))]
    #expect(orientation(block.bytes) == .right)
  }

  @Test("Values outside 1…8 are none", arguments: [0, 9, 255, 65_535])
  func unknownValues(_ value: Int) {
    #expect(orientation(TIFFBlock.orientation(value, isLittleEndian: true).bytes) == nil)
  }

  @Test("A block without the tag has none")
  func noTag() {
    var block = TIFFBlock()
    #expect(orientation(block.bytes) == nil)
    block.entries = [(0x010f, 2, 4, Array("abc\0".utf8))]
    #expect(orientation(block.bytes) == nil)
  }

  @Test("Every beginning of a block is none until the entry is whole")
  func truncated() {
    let bytes = TIFFBlock.orientation(3, isLittleEndian: false).bytes
    // Header, count, an entry, and the second one up to the two bytes of its value.
    let needed = 8 + 2 + 12 + 10
    for count in 0...bytes.count {
      #expect(orientation(Array(bytes.prefix(count))) == (count >= needed ? .down : nil))
    }
  }

  @Test(
    "Offsets beyond the block are none",
    arguments: [0, 1, 100, 0x7fff_ffff, 0xffff_ffff, 0xffff_fffe])
  func wildOffsets(_ offset: Int) {
    var block = TIFFBlock.orientation(3, isLittleEndian: true)
    block.directoryOffset = offset
    #expect(orientation(block.bytes) == nil)
  }

  @Test("Random bytes behind a good header never trap")
  func noise() {
    var random = SeededBytes(7)
    for _ in 0..<2000 {
      var bytes = TIFFBlock.orientation(3, isLittleEndian: random.next() & 1 == 0).bytes
      for _ in 0..<4 { bytes[4 + Int(random.next()) % (bytes.count - 4)] = random.next() }
      if let found = orientation(bytes) { #expect((1...8).contains(found.rawValue)) }
    }
  }
}

/// The same bytes on every run: a linear congruential generator, of which the high bits are used.
struct SeededBytes {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(state >> 56)
  }

  mutating func next(below limit: Int) -> Int {
    ((Int(next()) << 16) | (Int(next()) << 8) | Int(next())) % limit
  }
}
