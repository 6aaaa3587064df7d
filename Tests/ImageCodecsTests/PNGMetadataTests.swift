import FetchPipeline
import ImageCodecs
import Testing

/// What chunks say beside the pixels.
@Suite struct PNGMetadataTests {
  private var png = PNGBytes(width: 6, height: 4, bitDepth: 8, colorType: 2)
  private func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int { x * 40 + y * 9 + channel }

  private func probe(_ file: [UInt8]) throws -> ImageProbe {
    try PNGDecoder().makeSession().probe(SharedBytes(file), limits: Limits())
  }

  @Test func theSignatureIsMatched() {
    #expect(PNGDecoder().matches(SharedBytes(PNGBytes.signature + [0])))
    #expect(!PNGDecoder().matches(SharedBytes(PNGBytes.signature.dropLast())))
    #expect(!PNGDecoder().matches(SharedBytes([UInt8]("GIF89a..".utf8))))
  }

  @Test(arguments: PNGBytes.allTypes) func theProbeSaysWhatIsDecoded(type: (colorType: UInt8, bitDepth: UInt8)) throws {
    for hasTransparency in [false, true] {
      var png = PNGBytes(width: 3, height: 2, bitDepth: type.bitDepth, colorType: type.colorType)
      if type.colorType == 3 { png.before = [PNGBytes.chunk("PLTE", [1, 2, 3, 4, 5, 6])] }
      if hasTransparency {
        guard type.colorType < 4 else { continue }
        png.before.append(
          PNGBytes.chunk("tRNS", type.colorType == 3 ? [0] : [UInt8](repeating: 0, count: type.colorType == 0 ? 2 : 6)))
      }
      let file = png.file { _, _, _ in 0 }
      let probe = try probe(file)
      let image = try PNGDecoder().decoded(file).image
      #expect(probe.format == .png)
      #expect(probe.layout == image.layout)
      #expect(probe.depth == image.depth)
      #expect(probe.hasAlpha == image.layout.hasAlpha)
      #expect(probe.storedSize == PixelSize(width: 3, height: 2))
      #expect(probe.frames == 1)
    }
  }

  @Test(arguments: Orientation.allCases, [false, true])
  func orientationFromEXIF(orientation: Orientation, isBehindThePixels: Bool) throws {
    var png = png
    let chunk = PNGBytes.chunk("eXIf", WebPBytes.tiff(orientation: UInt8(orientation.rawValue)))
    if isBehindThePixels { png.after = [chunk] } else { png.before = [chunk] }
    let file = png.file(sample)
    #expect(try probe(file).orientation == orientation)
    for scale in [1, 0.5] {
      let image = try PNGDecoder().decoded(file, plan: .averaging(to: scale)).image
      #expect(image.orientation == orientation)
      #expect(image.size == (orientation.swapsAxes ? PixelSize(width: 4, height: 6) : PixelSize(width: 6, height: 4)))
      #expect(image.planes[0].size == (scale == 1 ? PixelSize(width: 6, height: 4) : PixelSize(width: 3, height: 2)))
    }
  }

  /// A profile that is no more than its header and an empty table (ICC.1:2022, 7.2).
  private static let profile: [UInt8] = {
    var profile = [UInt8](repeating: 0, count: 132)
    profile.replaceSubrange(0..<4, with: PNGBytes.big(132))
    profile[8] = 4
    profile.replaceSubrange(12..<24, with: Array("mntrRGB XYZ ".utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    // The illuminant D50.
    profile.replaceSubrange(68..<80, with: [0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d])
    return profile
  }()

  @Test func profilesAreHandedOn() throws {
    var png = png
    png.before = [PNGBytes.chunk("iCCP", Array("name".utf8) + [0, 0] + PNGBytes.zlib(Self.profile))]
    let decoded = try PNGDecoder().decoded(png.file(sample))
    #expect(decoded.flags.isEmpty)
    #expect(decoded.image.profile == .icc(SharedBytes(Self.profile)))
    // A statement of sRGB by another chunk does not go before it, one by cICP does.
    png.before.insert(PNGBytes.chunk("sRGB", [0]), at: 0)
    #expect(try PNGDecoder().decoded(png.file(sample)).image.profile == .icc(SharedBytes(Self.profile)))
    png.before.insert(PNGBytes.chunk("cICP", [1, 13, 0, 1]), at: 0)
    #expect(try PNGDecoder().decoded(png.file(sample)).image.profile == .sRGB)
  }

  @Test func profilesOfOtherPixelsAreInvalid() throws {
    var png = PNGBytes(width: 2, height: 2, bitDepth: 8, colorType: 0)
    png.before = [PNGBytes.chunk("iCCP", Array("name".utf8) + [0, 0] + PNGBytes.zlib(Self.profile))]
    let decoded = try PNGDecoder().decoded(png.file { _, _, _ in 1 })
    #expect(decoded.flags.contains(.iccInvalid))
    #expect(decoded.image.profile == .sRGB)
  }

  @Test(arguments: [(16, true), (18, true), (13, false), (1, false)])
  func highDynamicRange(transfer: UInt8, isHDR: Bool) throws {
    var png = png
    png.before = [PNGBytes.chunk("cICP", [9, transfer, 0, 1])]
    #expect(try PNGDecoder().decoded(png.file(sample)).flags == (isHDR ? [.hdr] : []))
    #expect(try probe(png.file(sample)).flags == (isHDR ? [.hdr] : []))
  }

  /// An animated PNG is its default picture; the number of frames is known.
  @Test func animatedPicturesShowTheirDefault() throws {
    var png = png
    png.before = [
      PNGBytes.chunk("acTL", [0, 0, 0, 3, 0, 0, 0, 0]),
      PNGBytes.chunk("fcTL", [UInt8](repeating: 0, count: 26)),
    ]
    png.after = [PNGBytes.chunk("fdAT", [0, 0, 0, 1, 9, 9, 9])]
    let file = png.file(sample)
    #expect(try probe(file).frames == 3)
    let decoded = try PNGDecoder().decoded(file)
    #expect(decoded.flags.isEmpty)
    #expect(decoded.image.samples().prefix(4) == [0, 1, 2, 40])
  }
}
