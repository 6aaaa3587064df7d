import FetchPipeline
import Testing

@testable import ImageCodecs

/// Whatever becomes of a file on its way, the outcome is libpng's.
@Suite("Damaged PNGs end as without the own decoder")
struct InflatedPNGDamageTests {
  private static func source(_ random: inout SeededBytes) -> FilteredPNG {
    let type = PNGBytes.allTypes[random.next(below: PNGBytes.allTypes.count)]
    var source = FilteredPNG(type, width: 11, height: 9, alphaCount: 2)
    source.seed = UInt64(random.next())
    let (first, step) = (random.next(below: 5), random.next(below: 5))
    source.filter = { UInt8((first + $0 * step) % 5) }
    source.level = Int32(random.next(below: 10))
    source.chunkLength = [nil, 1, 20, 100][random.next(below: 4)]
    if random.next(below: 3) == 0 { source.png.before.append(PNGBytes.chunk("gAMA", [0, 0, 0xb1, 0x8f])) }
    if random.next(below: 3) == 0 { source.png.after = [PNGBytes.chunk("tEXt", [65, 0, 66])] }
    return source
  }

  private static func plan(_ random: inout SeededBytes) -> DecodePlan {
    var plan = DecodePlan.averaging(to: [1, 0.5, 0.3][random.next(below: 3)])
    if random.next(below: 4) == 0 { plan.region = PixelRect(x: 1, y: 3, width: 5, height: 4) }
    if random.next(below: 2) == 0 { plan.onDamage = .salvage }
    plan.limits.pixels = 100_000
    return plan
  }

  /// Changes some bytes, drops or doubles some.
  private static func change(_ bytes: inout [UInt8], _ random: inout SeededBytes) {
    for _ in 0...random.next(below: 3) where !bytes.isEmpty {
      let at = random.next(below: bytes.count)
      switch random.next(below: 6) {
      case 0: bytes.remove(at: at)
      case 1: bytes.insert(random.next(), at: at)
      case 2: bytes[at] ^= 1 << (random.next() & 7)
      default: bytes[at] = random.next()
      }
    }
  }

  @Test("Bytes of the file", arguments: 0..<8)
  func bytes(batch: Int) throws {
    var random = SeededBytes(UInt64(batch) + 1000)
    let comparison = PNGComparison()
    for round in 0..<250 {
      var file = Self.source(&random).file
      Self.change(&file, &random)
      try comparison.expectSame(file, Self.plan(&random), "\(batch), \(round)")
    }
  }

  /// The checksums of the chunks are right: it is the stream that tells.
  @Test("Bytes of the zlib stream", arguments: 0..<8)
  func stream(batch: Int) throws {
    var random = SeededBytes(UInt64(batch) + 2000)
    let comparison = PNGComparison()
    for round in 0..<250 {
      let source = Self.source(&random)
      var stream = FilteredPNG.deflated(source.scanlines, level: source.level)
      Self.change(&stream, &random)
      try comparison.expectSame(source.file(stream: stream), Self.plan(&random), "\(batch), \(round)")
    }
  }

  /// All checksums are right: filters, indices and numbers of bytes tell.
  @Test("Bytes of the scanlines", arguments: 0..<8)
  func scanlines(batch: Int) throws {
    var random = SeededBytes(UInt64(batch) + 3000)
    let comparison = PNGComparison()
    var served = 0
    for round in 0..<250 {
      var source = Self.source(&random)
      if source.png.colorType == 3, random.next(below: 2) == 0 {
        source = FilteredPNG((3, source.png.bitDepth), width: 11, height: 9, paletteCount: 2)
      }
      var scanlines = source.scanlines
      Self.change(&scanlines, &random)
      try comparison.expectSame(source.file(scanlines: scanlines), Self.plan(&random), "\(batch), \(round)")
      served += comparison.wasAccelerated ? 1 : 0
    }
    #expect(served > 25)
    #expect(served < 225)
  }

  /// Chunks in any order, missing, twice, renamed or empty.
  @Test("Chunks of the file", arguments: 0..<8)
  func chunks(batch: Int) throws {
    var random = SeededBytes(UInt64(batch) + 4000)
    let comparison = PNGComparison()
    var served = 0
    for round in 0..<150 {
      let source = Self.source(&random)
      var chunks = source.file.chunks
      for _ in 0...random.next(below: 2) where chunks.count > 1 {
        let at = 1 + random.next(below: chunks.count - 1)
        switch random.next(below: 5) {
        case 0: chunks.remove(at: at)
        case 1: chunks.insert(chunks[at], at: random.next(below: chunks.count))
        case 2: chunks.swapAt(at, random.next(below: chunks.count))
        case 3: chunks[at].data = []
        default:
          let types = ["PLTE", "tRNS", "tEXt", "iCCP", "sRGB", "IDAT", "IEND", "ABCD", "abCD", "eXIf"]
          chunks.insert((types[random.next(below: types.count)], [1, 0, 3]), at: at)
        }
      }
      let file = PNGBytes.signature + chunks.flatMap { PNGBytes.chunk($0.type, $0.data) }
      try comparison.expectSame(file, Self.plan(&random), "\(batch), \(round)")
      served += comparison.wasAccelerated ? 1 : 0
    }
    #expect(served > 5)
  }

  @Test(arguments: [(2, 8), (6, 8), (3, 4), (0, 16)] as [(UInt8, UInt8)])
  func everyTruncation(colorType: UInt8, bitDepth: UInt8) throws {
    var source = FilteredPNG((colorType, bitDepth), width: 11, height: 9, alphaCount: 3)
    source.chunkLength = 50
    source.filter = { UInt8($0 % 5) }
    source.png.after = [PNGBytes.chunk("tEXt", [65, 0, 66])]
    let file = source.file
    let comparison = PNGComparison()
    for policy in DamagePolicy.allCases {
      for scale in [1, 0.3] {
        var plan = DecodePlan.averaging(to: scale)
        plan.onDamage = policy
        for count in 0..<file.count {
          try comparison.expectSame(Array(file[..<count]), plan, isAccelerated: false, "\(count) bytes")
          // And an end behind what is left.
          try comparison.expectSame(file[..<count] + PNGBytes.chunk("IEND", []), plan, "\(count) bytes, ended")
        }
        try comparison.expectSame(file, plan, isAccelerated: true)
      }
    }
  }
}

extension [UInt8] {
  /// The chunks of a PNG file that is whole.
  fileprivate var chunks: [(type: String, data: [UInt8])] {
    var result: [(String, [UInt8])] = []
    var rest = dropFirst(8)
    while rest.count >= 12 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let content = rest.dropFirst(4).prefix(4 + length)
      result.append((String(decoding: content.prefix(4), as: UTF8.self), [UInt8](content.dropFirst(4))))
      rest = rest.dropFirst(12 + length)
    }
    return result
  }
}
