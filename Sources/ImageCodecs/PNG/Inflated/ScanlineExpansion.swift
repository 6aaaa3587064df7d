import FetchPipeline

/// What is still to be done to a row's bytes to have samples of 8 or 16 bits.
enum ScanlineExpansion {
  /// They are such samples.
  case none
  /// Their 16 bits have the other byte first.
  case swap
  /// Packed indices, each of which stands for some samples.
  case table(SampleTable)

  /// - Throws: `DecoderDeclined` for a layout that is not made here.
  init(_ container: PNGContainer, _ data: PNGPixelData, layout: PixelLayout) throws {
    switch (container.colorType, container.bitDepth) {
    case (.palette, _):
      guard let table = SampleTable(palette: data.palette, transparency: data.transparency, container, layout) else {
        throw DecoderDeclined("an unusual palette")
      }
      self = .table(table)
    // A colour that counts as transparent.
    case _ where container.hasTransparencyChunk: throw DecoderDeclined("a transparent colour")
    case (.gray, 1), (.gray, 2), (.gray, 4): self = .table(SampleTable(grayBits: container.bitDepth))
    case (_, 16): self = UInt16(bigEndian: 1) == 1 ? .none : .swap
    default: self = .none
    }
  }

  /// Whether bytes are samples.
  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// Expands a row of `width` pixels, of `byteCount` bytes. False where an index stands for nothing.
  func expand(
    _ row: UnsafeRawPointer, byteCount: Int, width: Int, into samples: UnsafeMutableRawPointer
  ) -> Bool {
    switch self {
    case .none:
      samples.copyMemory(from: row, byteCount: byteCount)
      return true
    case .swap:
      let target = samples.assumingMemoryBound(to: UInt16.self)
      for index in 0..<byteCount / 2 {
        target[index] = UInt16(bigEndian: row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
      }
      return true
    case .table(let table): return table.expand(row, width: width, into: samples)
    }
  }
}

/// The samples that indices of 1, 2, 4 or 8 bits stand for.
struct SampleTable {
  /// Up to four samples each, the first one in the lowest byte.
  private let entries: [UInt32]
  private let count: Int
  private let bits: Int
  private let channels: Int

  /// Levels of grey, as parts of 255.
  init(grayBits bits: Int) {
    self.bits = bits
    channels = 1
    let count = 1 << bits
    self.count = count
    entries = (0..<256).map { (level: Int) -> UInt32 in level < count ? UInt32(level * 255 / (count - 1)) : 0 }
  }

  /// The colours of a palette; nil where it breaks the rules.
  init?(
    palette: UnsafeRawBufferPointer?, transparency: UnsafeRawBufferPointer?, _ container: PNGContainer,
    _ layout: PixelLayout
  ) {
    let alpha = transparency ?? UnsafeRawBufferPointer(start: nil, count: 0)
    guard let palette, palette.count % 3 == 0, (1...1 << container.bitDepth).contains(palette.count / 3),
      alpha.count <= palette.count / 3, layout == (transparency == nil ? .rgb : .rgba)
    else { return nil }
    bits = container.bitDepth
    channels = layout.channels
    let count = palette.count / 3
    self.count = count
    entries = (0..<256).map { index in
      guard index < count else { return 0 }
      let color = (0..<3).reduce(UInt32(0)) { $0 | UInt32(palette[index * 3 + $1]) << (UInt32($1) * 8) }
      return color | (index < alpha.count ? UInt32(alpha[index]) : 255) << 24
    }
  }

  fileprivate func expand(_ row: UnsafeRawPointer, width: Int, into samples: UnsafeMutableRawPointer) -> Bool {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    return entries.withUnsafeBufferPointer { entries in
      // Constants to the compiler, in copies of the loop.
      switch (channels, bits) {
      case (1, _): expand(bytes, width, entries, into: samples, channels: 1, bits: bits)
      case (3, 8): expand(bytes, width, entries, into: samples, channels: 3, bits: 8)
      case (3, _): expand(bytes, width, entries, into: samples, channels: 3, bits: bits)
      case (_, 8): expand(bytes, width, entries, into: samples, channels: 4, bits: 8)
      default: expand(bytes, width, entries, into: samples, channels: 4, bits: bits)
      }
    }
  }

  /// Whether all indices of a row stand for something.
  @inline(__always)
  private func expand(
    _ row: UnsafePointer<UInt8>, _ width: Int, _ entries: UnsafeBufferPointer<UInt32>,
    into samples: UnsafeMutableRawPointer, channels: Int, bits: Int
  ) -> Bool {
    let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
    var largest: UInt8 = 0
    func entry(_ column: Int) -> UInt32 {
      let place = column &* bits
      // The first pixel has the highest bits.
      let index = row[place &>> 3] &>> UInt8(truncatingIfNeeded: 8 &- bits &- (place & 7)) & mask
      largest = max(largest, index)
      return entries[Int(index)].littleEndian
    }
    // Four bytes for each pixel as long as there is room: the next pixel overwrites those that are not its own.
    let roomy = max(width - (channels == 4 ? 0 : channels == 3 ? 1 : 3), 0)
    for column in 0..<roomy { samples.storeBytes(of: entry(column), toByteOffset: column &* channels, as: UInt32.self) }
    for column in roomy..<width {
      withUnsafeBytes(of: entry(column)) { bytes in
        for channel in 0..<channels {
          samples.storeBytes(of: bytes[channel], toByteOffset: column &* channels &+ channel, as: UInt8.self)
        }
      }
    }
    return largest < count
  }
}
