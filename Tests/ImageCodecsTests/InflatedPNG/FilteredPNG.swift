import CDeflate

/// PNG files with any filter, any split of their pixel data and any effort of compression.
struct FilteredPNG {
  var png: PNGBytes
  /// The filter of each row (PNG, third edition, 9.2).
  var filter: (_ row: Int) -> UInt8 = { _ in 0 }
  /// libdeflate's level, 0…12.
  var level: Int32 = 6
  /// The bytes of an IDAT chunk; nil for one chunk.
  var chunkLength: Int?
  var seed: UInt64 = 1

  /// - Parameter paletteCount: the colours of a palette.
  init(
    _ type: (colorType: UInt8, bitDepth: UInt8), width: Int, height: Int, paletteCount: Int? = nil, alphaCount: Int = 0
  ) {
    png = PNGBytes(width: width, height: height, bitDepth: type.bitDepth, colorType: type.colorType)
    guard type.colorType == 3 else { return }
    let count = paletteCount ?? 1 << Int(type.bitDepth)
    png.before = [PNGBytes.chunk("PLTE", (0..<3 * count).map { UInt8($0 * 37 % 256) })]
    if alphaCount > 0 { png.before.append(PNGBytes.chunk("tRNS", (0..<alphaCount).map { UInt8($0 * 91 % 256) })) }
  }

  /// The bytes of a row.
  var rowBytes: Int { (png.width * png.channels * Int(png.bitDepth) + 7) / 8 }

  /// The file.
  var file: [UInt8] { file(scanlines: scanlines) }

  /// The file with those bytes in place of the filtered rows.
  func file(scanlines: [UInt8]) -> [UInt8] { file(stream: Self.deflated(scanlines, level: level)) }

  /// The file with that zlib stream.
  func file(stream: [UInt8]) -> [UInt8] {
    let length = max(chunkLength ?? stream.count, 1)
    let chunks = stride(from: 0, to: stream.count, by: length).map {
      PNGBytes.chunk("IDAT", Array(stream[$0..<min($0 + length, stream.count)]))
    }
    return ([PNGBytes.signature, png.header] + png.before + chunks + png.after + [PNGBytes.chunk("IEND", [])])
      .flatMap { $0 }
  }

  /// Rows of a picture that is smooth in parts and has every level, filtered.
  var scanlines: [UInt8] {
    var random = SeededBytes(seed)
    let step = max(png.channels * Int(png.bitDepth) / 8, 1)
    var above = [UInt8](repeating: 0, count: rowBytes)
    var result: [UInt8] = []
    for row in 0..<png.height {
      let bytes = (0..<rowBytes).map { at in
        (at / 16 + row / 4) % 3 == 0
          ? random.next() : UInt8(truncatingIfNeeded: at * 3 + row * 5 + Int(random.next() % 4))
      }
      let filter = filter(row)
      result.append(filter)
      for at in 0..<rowBytes {
        let left = at >= step ? Int(bytes[at - step]) : 0
        let corner = at >= step ? Int(above[at - step]) : 0
        let predicted = Self.prediction(filter, left: left, above: Int(above[at]), corner: corner)
        result.append(bytes[at] &- UInt8(truncatingIfNeeded: predicted))
      }
      above = bytes
    }
    return result
  }

  /// Clauses 9.2 and 9.4.
  private static func prediction(_ filter: UInt8, left: Int, above: Int, corner: Int) -> Int {
    switch filter {
    case 1: return left
    case 2: return above
    case 3: return (left + above) / 2
    case 4:
      let estimate = left + above - corner
      let distances = [abs(estimate - left), abs(estimate - above), abs(estimate - corner)]
      if distances[0] <= distances[1], distances[0] <= distances[2] { return left }
      return distances[1] <= distances[2] ? above : corner
    default: return 0
    }
  }

  /// A zlib stream of `bytes`.
  static func deflated(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
    guard let compressor = libdeflate_alloc_compressor(level) else { return [] }
    defer { libdeflate_free_compressor(compressor) }
    return [UInt8](unsafeUninitializedCapacity: libdeflate_zlib_compress_bound(compressor, bytes.count)) {
      buffer, count in
      count = libdeflate_zlib_compress(compressor, bytes, bytes.count, buffer.baseAddress, buffer.count)
    }
  }
}
