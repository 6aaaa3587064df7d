import CDeflate

/// The chunks of a PNG file (PNG, third edition, 5.3), one after the other, as far as they are whole.
struct PNGChunks: IteratorProtocol {
  /// A chunk and what it says of itself.
  struct Chunk {
    let type: String
    let data: UnsafeRawBufferPointer
    /// Type and data, which the checksum is of.
    let checked: UnsafeRawBufferPointer
    let checksum: UInt32

    /// Whether the first letter is upper-case.
    var isCritical: Bool { checked[0] & 0x20 == 0 }
    /// Whether the CRC-32 (annex D) is that of the content.
    var hasRightChecksum: Bool { libdeflate_crc32(0, checked.baseAddress, checked.count) == checksum }
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = PNGContainer.signature.count

  /// The chunks of a file that begins with the signature.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func next() -> Chunk? {
    guard bytes.count - offset >= 12 else { return nil }
    let length = Int(bytes.bigEndian32(at: offset))
    guard length <= bytes.count - offset - 12 else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + 8 + length)])
    guard checked.prefix(4).allSatisfy({ (0x41...0x5a).contains($0 & 0xdf) }) else { return nil }
    defer { offset += 12 + length }
    return Chunk(
      type: String(decoding: checked.prefix(4), as: UTF8.self), data: UnsafeRawBufferPointer(rebasing: checked[4...]),
      checked: checked, checksum: bytes.bigEndian32(at: offset + 8 + length))
  }
}

extension UnsafeRawBufferPointer {
  /// The four bytes at `offset`, most significant first.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
