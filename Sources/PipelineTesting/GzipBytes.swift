/// Gzip streams (RFC 1952) made by hand, for bodies that come compressed.
public enum GzipBytes {
  /// A stream that holds `bytes` uncompressed, in stored blocks (RFC 1951, section 3.2.4).
  public static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result = header
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      let length = UInt16(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      result += [length, ~length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } + block
    } while !rest.isEmpty
    return result + trailer(crc: crc32(bytes), count: bytes.count)
  }

  /// A stream of about `count` / 159 bytes that unfolds into `count` zeros: a bomb. Rounded up to 1 + n · 258.
  public static func zeros(_ count: Int) -> [UInt8] {
    let copies = max((count - 1 + 257) / 258, 0)
    var bits = BitWriter(bytes: header)
    bits.write(0b011, count: 3)  // the last block, with the fixed codes (3.2.6)
    bits.write(0b0000_1100, count: 8)  // the literal 0: 00110000, most significant bit first
    for _ in 0..<copies {
      bits.write(0b1010_0011, count: 8)  // length 258: code 285, 11000101
      bits.write(0, count: 5)  // distance 1
    }
    bits.write(0, count: 7)  // end of block
    let total = 1 + copies * 258
    return bits.finished() + trailer(crc: crc32(repeatElement(0, count: total)), count: total)
  }

  /// Deflate, no flags, no time, unknown system.
  private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

  private static func trailer(crc: UInt32, count: Int) -> [UInt8] {
    [crc, UInt32(truncatingIfNeeded: count)].flatMap { value in
      [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
  }

  private static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in crcTable[Int((crc ^ UInt32(byte)) & 255)] ^ (crc >> 8) }
  }

  private static let crcTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
  }

  /// Packs bits, least significant first (3.1.1).
  private struct BitWriter {
    var bytes: [UInt8]
    private var pending: UInt32 = 0
    private var count = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func write(_ value: UInt32, count bits: Int) {
      pending |= value << UInt32(count)
      count += bits
      while count >= 8 {
        bytes.append(UInt8(pending & 255))
        pending >>= 8
        count -= 8
      }
    }

    consuming func finished() -> [UInt8] {
      if count > 0 { bytes.append(UInt8(pending & 255)) }
      return bytes
    }
  }
}
