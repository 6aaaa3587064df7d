import FetchPipeline
import Testing

@testable import ImageCodecs

/// What is inflated at once comes out as libpng has it, to the bit.
@Suite("PNGs that are inflated at once")
struct InflatedPNGTests {
  private static let plans = [
    DecodePlan(), .averaging(to: 0.5), .averaging(to: 1.0 / 3),
    .averaging(to: 0.25, region: PixelRect(x: 3, y: 2, width: 7, height: 30)),
    DecodePlan(region: PixelRect(x: 1, y: 5, width: 4, height: 8)),
  ]
  private static let mixed: @Sendable (Int) -> UInt8 = { UInt8(($0 * 7 + $0 / 5) % 5) }

  @Test(arguments: PNGBytes.allTypes)
  func everyTypeAndWidth(type: (colorType: UInt8, bitDepth: UInt8)) throws {
    let comparison = PNGComparison()
    for width in Array(1...40) + [127, 256, 301] {
      var source = FilteredPNG(type, width: width, height: 17)
      source.filter = Self.mixed
      source.seed = UInt64(width)
      let file = source.file
      for plan in [Self.plans[0], Self.plans[1 + width % 4]] {
        try comparison.expectSame(file, plan, isAccelerated: true, "\(width) columns, scale \(plan.scale)")
      }
    }
  }

  @Test(arguments: PNGBytes.allTypes, [0, 1, 2, 3, 4] as [UInt8])
  func everyFilter(type: (colorType: UInt8, bitDepth: UInt8), filter: UInt8) throws {
    let comparison = PNGComparison()
    for width in [1, 2, 3, 19, 50] {
      var source = FilteredPNG(type, width: width, height: 23)
      source.filter = { _ in filter }
      source.seed = UInt64(filter) * 100 + UInt64(width)
      let file = source.file
      for plan in Self.plans { try comparison.expectSame(file, plan, isAccelerated: true, "\(width) columns") }
    }
  }

  /// Paeth's choice and the mean for every pair of neighbours on a coarse grid, and each way to differ.
  @Test(arguments: [3, 4] as [UInt8])
  func everyNeighbourhood(filter: UInt8) throws {
    let levels: [UInt8] = [0, 1, 2, 63, 127, 128, 129, 200, 253, 254, 255]
    var scanlines: [UInt8] = []
    for corner in levels {
      for above in levels {
        scanlines += [0] + levels.flatMap { _ in [corner, above] }
        scanlines += [filter] + levels.flatMap { left in [left &- (filter == 4 ? corner : corner / 2), 7] }
      }
    }
    let png = FilteredPNG((0, 8), width: 2 * levels.count, height: 2 * levels.count * levels.count)
    try PNGComparison().expectSame(png.file(scanlines: scanlines), isAccelerated: true)
  }

  @Test(arguments: [0, 1, 6, 12] as [Int32], [nil, 1, 7, 1000])
  func everySplitAndLevel(level: Int32, chunkLength: Int?) throws {
    for type in [(2, 8), (6, 8), (3, 4)] as [(colorType: UInt8, bitDepth: UInt8)] {
      var source = FilteredPNG(type, width: 61, height: 40)
      source.filter = Self.mixed
      source.level = level
      source.chunkLength = chunkLength
      let comparison = PNGComparison()
      for plan in Self.plans { try comparison.expectSame(source.file, plan, isAccelerated: true) }
    }
  }

  @Test(arguments: [2, 3, 4, 5, 8, 13, 128])
  func everyBox(factor: Int) throws {
    let comparison = PNGComparison()
    for type in [(0, 8), (2, 8), (4, 8), (6, 8), (6, 16), (2, 16), (3, 8)] as [(colorType: UInt8, bitDepth: UInt8)] {
      var source = FilteredPNG(type, width: 139, height: 45)
      source.filter = Self.mixed
      try comparison.expectSame(source.file, .averaging(to: 1 / Double(factor)), isAccelerated: true)
    }
  }

  @Test func regions() throws {
    var source = FilteredPNG((6, 8), width: 90, height: 70)
    source.filter = Self.mixed
    let file = source.file
    let comparison = PNGComparison()
    for scale in [1, 0.5, 0.2] {
      for (x, y, width, height) in [
        (0, 0, 90, 70), (10, 20, 30, 40), (89, 69, 1, 1), (0, 35, 90, 5), (-5, 30, 200, 90),
      ] {
        let region = PixelRect(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
        try comparison.expectSame(file, .averaging(to: scale, region: region), isAccelerated: true)
      }
    }
    // libpng reads no further than that.
    let top = PixelRect(x: 0, y: 0, width: 90, height: 10)
    try comparison.expectSame(file, DecodePlan(region: top), isAccelerated: false)
  }

  @Test(arguments: [(1, 2, 0), (1, 2, 1), (2, 3, 2), (4, 16, 5), (8, 256, 256), (8, 200, 0), (8, 100, 99)])
  func palettes(bitDepth: UInt8, count: Int, alphaCount: Int) throws {
    var source = FilteredPNG((3, bitDepth), width: 37, height: 20, paletteCount: count, alphaCount: alphaCount)
    let perByte = 8 / Int(bitDepth)
    var rows: [UInt8] = []
    for row in 0..<20 {
      rows.append(0)
      for at in 0..<source.rowBytes {
        let indices = (0..<perByte).map { (row * 31 + at * perByte + $0) % count }
        rows.append(UInt8(indices.reduce(0) { $0 << bitDepth | $1 }))
      }
    }
    let comparison = PNGComparison()
    for plan in Self.plans {
      try comparison.expectSame(source.file(scanlines: rows), plan, isAccelerated: true)
    }
    source.chunkLength = 5
    try comparison.expectSame(source.file(scanlines: rows), isAccelerated: true)
  }

  @Test func chunksBesideThePixels() throws {
    var source = FilteredPNG((2, 8), width: 20, height: 20)
    source.filter = Self.mixed
    source.png.before = ["gAMA", "tEXt", "pHYs", "tIME", "acTL"].map {
      PNGBytes.chunk($0, [0, 0, 0xb1, 0x8f, 0, 0, 0, 1, 0])
    }
    source.png.before += [PNGBytes.chunk("PLTE", [1, 2, 3, 4, 5, 6]), PNGBytes.chunk("gAMA", [0, 0, 0xb1, 0x8f])]
    source.png.before.removeFirst()
    source.png.after = ["tEXt", "iTXt", "zTXt", "tIME", "eXIf", "fdAT", "xyZw"].map {
      PNGBytes.chunk($0, [65, 0, 0, 66])
    }
    try PNGComparison().expectSame(source.file, isAccelerated: true)
    try PNGComparison().expectSame(source.file + [1, 2, 3], isAccelerated: true)
  }

  /// libpng's complaint is told as well, and the profile is the one that it takes or not.
  @Test func flawedProfiles() throws {
    for (type, alphaCount) in [((2, 8), 0), ((3, 8), 4), ((3, 8), 0)] as [((colorType: UInt8, bitDepth: UInt8), Int)] {
      var source = FilteredPNG(type, width: 20, height: 20, alphaCount: alphaCount)
      let broken = PNGBytes.chunk("iCCP", Array("a".utf8) + [0, 0] + FilteredPNG.deflated([1, 2, 3]))
      source.png.before.insert(broken, at: 0)
      let outcome = try PNGComparison().expectSame(source.file, isAccelerated: true)
      guard case .decoded(_, _, _, _, _, _, let flags, _) = outcome else { throw CancellationError() }
      #expect(flags.contains(.iccInvalid))
    }
  }

  /// What another program's writer makes: libpng's, with zlib's streams.
  @Test(arguments: [0, 1, 6, 9])
  func zlibStreams(compression: Int) throws {
    var encoder = PNGEncoder()
    encoder.compression = compression
    for layout in [PixelLayout.gray, .grayAlpha, .rgb, .rgba] {
      var image = try PixelImage(layout: layout, size: PixelSize(width: 211, height: 97))
      try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
        for at in bytes.indices { bytes[at] = UInt8(truncatingIfNeeded: (at / 40) &* 2_654_435_761 >> 13 &+ at % 40) }
      }
      let file = try encoder.makeSession().encode(image, checkpoint: .relaxed).array()
      for plan in Self.plans.dropLast() { try PNGComparison().expectSame(file, plan, isAccelerated: true) }
    }
  }

  @Test func salvageChangesNothingOfASoundFile() throws {
    let file = FilteredPNG((6, 8), width: 33, height: 21).file
    try PNGComparison().expectSame(file, DecodePlan(onDamage: .salvage), isAccelerated: true)
  }
}
