import FetchPipeline

/// The little that is read of EXIF metadata: how a picture is to be turned.
public enum EXIF {
  /// The value of the tag Orientation in the first directory of a TIFF block, of either byte order (TIFF 6.0, section 2;
  /// Exif 2.32, 4.6.4 A); nil where there is none, or where the block is damaged.
  public static func orientation(of block: UnsafeRawBufferPointer) -> Orientation? {
    guard block.count >= 8 else { return nil }
    let isLittleEndian: Bool
    switch (block[0], block[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4d, 0x4d): isLittleEndian = false
    default: return nil
    }
    func short(_ offset: Int) -> Int? {
      guard offset >= 0, offset <= block.count - 2 else { return nil }
      let value = block.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
      return Int(isLittleEndian ? UInt16(littleEndian: value) : UInt16(bigEndian: value))
    }
    func long(_ offset: Int) -> Int? {
      guard offset >= 0, offset <= block.count - 4 else { return nil }
      let value = block.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return Int(isLittleEndian ? UInt32(littleEndian: value) : UInt32(bigEndian: value))
    }
    guard short(2) == 42, let directory = long(4), let count = short(directory) else { return nil }
    for entry in 0..<count {
      let at = directory + 2 + entry * 12
      guard let tag = short(at) else { return nil }
      guard tag == 0x0112 else { continue }
      // A SHORT by the standard; some write a LONG.
      let value = short(at + 2) == 4 ? long(at + 8) : short(at + 8)
      return value.flatMap(Orientation.init(rawValue:))
    }
    return nil
  }
}
