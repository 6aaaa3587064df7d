import FetchPipeline
import ImageCodecs
import Testing

/// What is broken, cut off or made to hurt: pixels that are missing are an error, flaws beside them are not.
@Suite struct PNGDamageTests {
  private let png = PNGBytes(width: 40, height: 30, bitDepth: 8, colorType: 2)
  private var file: [UInt8] { png.file(Self.sample) }
  private static func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int { (x * 5 + y * 3 + channel * 90) & 255 }

  private func flags(_ file: [UInt8]) throws -> Set<ResultFlag> {
    let decoded = try PNGDecoder().decoded(file)
    var expected: [Int] = []
    for y in 0..<30 { for x in 0..<40 { for channel in 0..<3 { expected.append(Self.sample(x, y, channel)) } } }
    #expect(decoded.image.samples() == expected)
    return decoded.flags
  }

  @Test func aSoundFileHasNoFlags() throws {
    #expect(try flags(file).isEmpty)
  }

  @Test func everyTruncationIsFoundOrHarmless() throws {
    let file = file
    // Behind the data are 4 bytes of checksum and 12 of IEND.
    let endOfData = file.count - 12 - 4
    for count in 0..<file.count {
      let cut = Array(file[..<count])
      if count < endOfData {
        #expect(PNGDecoder().failure(cut) == .truncated, "\(count) bytes")
      } else {
        #expect(try flags(cut) == [.tolerated], "\(count) bytes")
      }
    }
  }

  @Test func rowsThatAreMissingInAWholeFileAreAnError() {
    let rows = [UInt8](repeating: 0, count: 121 * 29)
    #expect(PNGDecoder().failure(png.file(idat: PNGBytes.zlib(rows))) == .corrupt)
  }

  @Test func rowsTooManyAreTolerated() throws {
    var rows: [UInt8] = []
    for y in 0..<31 { rows += [0] + (0..<120).map { UInt8(Self.sample($0 / 3, y, $0 % 3)) } }
    #expect(try flags(png.file(idat: PNGBytes.zlib(rows))) == [.tolerated])
  }

  @Test func aWrongChecksumOfPixelsIsCorrupt() {
    var file = file
    // In the middle of the data, and in the last byte of the checksum.
    for offset in [1000, file.count - 13] {
      file[offset] ^= 0x55
      #expect(PNGDecoder().failure(file) == .corrupt)
      file[offset] ^= 0x55
    }
  }

  @Test func aFilterThatDoesNotExistIsCorrupt() {
    var rows = [UInt8](repeating: 0, count: 121 * 30)
    rows[121 * 7] = 5
    #expect(PNGDecoder().failure(png.file(idat: PNGBytes.zlib(rows))) == .corrupt)
  }

  @Test func aWrongHeaderIsCorrupt() {
    var file = file
    file[8 + 8 + 3] ^= 1
    #expect(PNGDecoder().failure(file) == .corrupt)
    for (bitDepth, colorType): (UInt8, UInt8) in [(3, 0), (16, 3), (4, 2), (8, 5), (1, 6)] {
      let png = PNGBytes(width: 1, height: 1, bitDepth: bitDepth, colorType: colorType)
      #expect(PNGDecoder().failure(png.file(idat: [])) == .corrupt)
    }
    #expect(PNGDecoder().failure(PNGBytes(width: 0, height: 1, bitDepth: 8, colorType: 0).file(idat: [])) == .corrupt)
  }

  @Test func aPaletteThatIsMissingIsCorrupt() {
    let png = PNGBytes(width: 2, height: 1, bitDepth: 8, colorType: 3)
    #expect(PNGDecoder().failure(png.file { _, _, _ in 0 }) == .corrupt)
  }

  @Test func theAppleVariantIsNamed() {
    let file = PNGBytes.signature + PNGBytes.chunk("CgBI", [0, 0, 0, 0]) + file[8...]
    #expect(PNGDecoder().failure(file) == .unsupportedFeature)
  }

  // MARK: Ancillary chunks

  @Test(arguments: [
    "gAMA", "cHRM", "iCCP", "zTXt", "tEXt", "iTXt", "pHYs", "tIME", "sRGB", "bKGD", "sBIT", "eXIf", "acTL", "cICP",
    "xyZw",
  ])
  func brokenAncillaryChunksCostNothing(type: String) throws {
    for (data, spoils): ([UInt8], Bool) in [
      ([1, 2, 3], true), ([], false), ([255, 0, 120, 156, 1, 2, 3, 4, 5], false),
    ] {
      var png = png
      png.before = [PNGBytes.chunk(type, data, spoilingChecksum: spoils)]
      let allowed: Set<ResultFlag> = type == "iCCP" ? [.tolerated, .iccInvalid] : [.tolerated]
      #expect(try flags(png.file(Self.sample)).isSubset(of: allowed))
    }
  }

  @Test func aWrongChecksumThatMatteredIsFlagged() throws {
    for (type, flag) in [("tRNS", ResultFlag.tolerated), ("eXIf", .tolerated), ("iCCP", .iccInvalid)] {
      var png = png
      png.before = [PNGBytes.chunk(type, [0, 0, 0, 90, 0, 180], spoilingChecksum: true)]
      #expect(try flags(png.file(Self.sample)).contains(flag))
    }
  }

  @Test func brokenChunksBehindThePixelsCostNothing() throws {
    var png = png
    png.after = [PNGBytes.chunk("tEXt", [1, 2], spoilingChecksum: true), PNGBytes.chunk("IDAT", [])]
    _ = try flags(png.file(Self.sample))
    png.after = [PNGBytes.chunk("ABCD", [1, 2])]
    let flags = try flags(png.file(Self.sample))
    #expect(flags == [.tolerated])
  }

  @Test func bytesBehindTheEndAreNotRead() throws {
    #expect(try flags(file + [1, 2, 3, 4]).isEmpty)
  }

  // MARK: Bombs

  @Test func aGiantHeaderIsRefusedBeforeAnythingElse() {
    let png = PNGBytes(width: 50_000, height: 50_000, bitDepth: 1, colorType: 0)
    #expect(PNGDecoder().failure(png.file(idat: [])) == .tooManyPixels)
    let tall = PNGBytes(width: 1, height: 70_000, bitDepth: 1, colorType: 0)
    #expect(PNGDecoder().failure(tall.file(idat: [])) == .tooManyPixels)
    let most = PNGBytes(width: 0x7fff_ffff, height: 0x7fff_ffff, bitDepth: 16, colorType: 6)
    #expect(PNGDecoder().failure(most.file(idat: [])) == .tooManyPixels)
  }

  /// 256 MB of zeros in texts and a profile, packed into a few hundred kB.
  @Test func packedTextsTakeNoMemory() throws {
    let bomb = Self.deflatedZeros(megabytes: 64)
    var png = png
    png.before = [
      PNGBytes.chunk("zTXt", Array("a".utf8) + [0, 0] + bomb),
      PNGBytes.chunk("iTXt", Array("b".utf8) + [0, 1, 0, 0, 0] + bomb),
      PNGBytes.chunk("iCCP", Array("c".utf8) + [0, 0] + bomb),
    ]
    png.after = [PNGBytes.chunk("zTXt", Array("d".utf8) + [0, 0] + bomb)]
    let file = png.file(Self.sample)
    let before = ResidentMemory.peak()
    #expect(try flags(file).contains(.iccInvalid))
    #expect(ResidentMemory.peak() - before < 32 << 20)
  }

  @Test func aCheckpointStopsTheWork() throws {
    let bytes = SharedBytes(
      PNGBytes(width: 500, height: 500, bitDepth: 8, colorType: 6).file { x, y, _ in (x ^ y) & 255 })
    let session = PNGDecoder().makeSession()
    let probe = try session.probe(bytes, limits: Limits())
    let checkpoint = DecodeCheckpoint(cpuTime: .seconds(60)) { true }
    for scale in [1, 0.25] {
      #expect(throws: CancellationError.self) {
        try session.decode(bytes, probe: probe, plan: DecodePlan(scale: scale), checkpoint: checkpoint)
      }
    }
  }

  /// A zlib stream of zeros, by runs of 258 bytes with the fixed codes of RFC 1951, section 3.2.6: a literal 0, then
  /// length 258 (code 285, 8 bits 11000101) at distance 1 (5 bits 00000) over and over.
  private static func deflatedZeros(megabytes: Int) -> [UInt8] {
    var bits: [UInt8] = []
    var bitCount = 0
    func write(_ code: Int, _ length: Int) {
      for index in stride(from: length - 1, through: 0, by: -1) {
        if bitCount % 8 == 0 { bits.append(0) }
        bits[bits.count - 1] |= UInt8(code >> index & 1) << (bitCount % 8)
        bitCount += 1
      }
    }
    write(1, 1)
    write(0b10, 2)
    write(0b0011_0000, 8)
    for _ in 0..<(megabytes << 20) / 258 {
      write(0b1100_0101, 8)
      write(0, 5)
    }
    write(0, 7)
    return [0x78, 0x01] + bits + [0, 0, 0, 0]
  }
}
