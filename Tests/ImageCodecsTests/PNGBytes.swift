import FetchPipeline

/// Makes PNG files from stored bytes by the specification alone: chunks, checksums, and deflate blocks that hold their
/// content as it is.
struct PNGBytes {
  var width: Int
  var height: Int
  var bitDepth: UInt8
  var colorType: UInt8
  var isInterlaced = false
  /// Chunks between the header and the pixels, whole.
  var before: [[UInt8]] = []
  /// Chunks between the pixels and the end, whole.
  var after: [[UInt8]] = []

  static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

  /// Colour types and depths of PNG, third edition, table 8.
  static let allTypes: [(colorType: UInt8, bitDepth: UInt8)] = [
    (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8),
    (6, 16),
  ]

  /// Stored samples of a pixel.
  var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }

  /// The file, with what `sample` gives for each column, row and channel.
  func file(_ sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int) -> [UInt8] {
    var scanlines: [UInt8] = []
    for pass in isInterlaced ? Self.adam7 : [(x: 0, y: 0, stepX: 1, stepY: 1)] {
      let columns = Array(stride(from: pass.x, to: width, by: pass.stepX))
      let rows = stride(from: pass.y, to: height, by: pass.stepY)
      // A pass without columns has no rows either, so not even their filter bytes (8.1).
      if columns.isEmpty { continue }
      for y in rows { scanlines += [0] + packed(columns.flatMap { x in (0..<channels).map { sample(x, y, $0) } }) }
    }
    return file(idat: Self.zlib(scanlines))
  }

  /// The file with that content of its IDAT chunk.
  func file(idat: [UInt8]) -> [UInt8] {
    ([Self.signature, header] + before + [Self.chunk("IDAT", idat)] + after + [Self.chunk("IEND", [])]).flatMap { $0 }
  }

  /// The IHDR chunk.
  var header: [UInt8] {
    Self.chunk(
      "IHDR", Self.big(width) + Self.big(height) + [bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0])
  }

  /// A chunk with its checksum, or with one that is wrong.
  static func chunk(_ type: String, _ data: [UInt8], spoilingChecksum: Bool = false) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(data.count) + body + big(Int(crc(body)) ^ (spoilingChecksum ? 1 : 0))
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var at = 0
    repeat {
      let count = min(bytes.count - at, 65_535)
      let isLast = at + count == bytes.count
      result += [isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
      result += bytes[at..<(at + count)]
      at += count
    } while at < bytes.count
    return result + big(adler(bytes))
  }

  static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }

  /// Samples as bits, most significant first, padded to whole bytes (7.2).
  private func packed(_ samples: [Int]) -> [UInt8] {
    if bitDepth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    if bitDepth == 8 { return samples.map { UInt8($0) } }
    let perByte = 8 / Int(bitDepth)
    return stride(from: 0, to: samples.count, by: perByte).map { start in
      (0..<perByte).reduce(UInt8(0)) { byte, index in
        let sample = start + index < samples.count ? samples[start + index] : 0
        return byte << bitDepth | UInt8(sample)
      }
    }
  }

  /// The seven passes of figure 17.
  private static let adam7 = [
    (x: 0, y: 0, stepX: 8, stepY: 8), (x: 4, y: 0, stepX: 8, stepY: 8), (x: 0, y: 4, stepX: 4, stepY: 8),
    (x: 2, y: 0, stepX: 4, stepY: 4), (x: 0, y: 2, stepX: 2, stepY: 4), (x: 1, y: 0, stepX: 2, stepY: 2),
    (x: 0, y: 1, stepX: 1, stepY: 2),
  ]

  /// Annex D, bit by bit.
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xffff_ffff
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func adler(_ bytes: [UInt8]) -> Int {
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return b << 16 | a
  }
}
