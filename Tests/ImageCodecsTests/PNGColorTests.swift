import FetchPipeline
import ImageCodecs
import Testing

/// Which of a PNG's statements of colour is heeded, and what it says (PNG, third edition, 4.3 and 11.3.2).
@Suite struct PNGColorTests {
  private static let p3 = ColorPrimaries(
    red: Chromaticity(0.68, 0.32), green: Chromaticity(0.265, 0.69), blue: Chromaticity(0.15, 0.06))

  private static func gamma(_ value: Int) -> [UInt8] { PNGBytes.chunk("gAMA", PNGBytes.big(value)) }

  private static func chromaticities(_ values: [Int]) -> [UInt8] {
    PNGBytes.chunk("cHRM", values.flatMap(PNGBytes.big))
  }

  private static let sRGBPrimaries = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]
  private static let p3Primaries = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]

  private func decoded(_ chunks: [[UInt8]]) throws -> DecodedImage {
    var png = PNGBytes(width: 2, height: 1, bitDepth: 8, colorType: 2)
    png.before = chunks
    return try PNGDecoder().decoded(png.file { x, _, _ in x * 100 })
  }

  private func encoding(_ chunks: [[UInt8]]) throws -> ColorEncoding? {
    if case .encoding(let encoding) = try decoded(chunks).image.profile { encoding } else { nil }
  }

  @Test func gammaIsAPowerOfTheInverse() throws {
    #expect(
      try encoding([Self.gamma(100_000)]) == ColorEncoding(primaries: .sRGB, transfer: .power(1)))
    #expect(try encoding([Self.gamma(50_000)]) == ColorEncoding(primaries: .sRGB, transfer: .power(2)))
  }

  @Test(arguments: [45_455, 45_454, 45_000, 47_000]) func theUsualGammaIsThatOfSRGB(value: Int) throws {
    #expect(try decoded([Self.gamma(value)]).image.profile == .sRGB)
    #expect(try decoded([Self.gamma(value), Self.chromaticities(Self.sRGBPrimaries)]).image.profile == .sRGB)
    #expect(
      try encoding([Self.gamma(value), Self.chromaticities(Self.p3Primaries)])
        == ColorEncoding(primaries: Self.p3, transfer: .sRGB))
  }

  @Test func anSRGBChunkGoesBeforeGammaAndChromaticities() throws {
    for chunks in [
      [PNGBytes.chunk("sRGB", [0]), Self.gamma(100_000)],
      [Self.gamma(100_000), Self.chromaticities(Self.p3Primaries), PNGBytes.chunk("sRGB", [3])],
    ] {
      #expect(try decoded(chunks).image.profile == .sRGB)
    }
  }

  @Test func codingPointsGoBeforeAllElse() throws {
    let others = [PNGBytes.chunk("sRGB", [0]), Self.gamma(100_000), Self.chromaticities(Self.sRGBPrimaries)]
    #expect(
      try encoding(others + [PNGBytes.chunk("cICP", [12, 13, 0, 1])])
        == ColorEncoding(primaries: Self.p3, transfer: .sRGB))
    #expect(try decoded([Self.gamma(100_000), PNGBytes.chunk("cICP", [1, 13, 0, 1])]).image.profile == .sRGB)
    let narrow = try encoding([PNGBytes.chunk("cICP", [1, 13, 0, 0])])
    #expect(narrow == ColorEncoding(primaries: .sRGB, transfer: .sRGB, isNarrowRange: true))
  }

  @Test func codingPointsThatAreNotKnownSayNothing() throws {
    // Reserved primaries, a reserved transfer function, and a matrix, which RGB has not.
    for data: [UInt8] in [[3, 13, 0, 1], [1, 3, 0, 1], [1, 13, 1, 1]] {
      #expect(
        try encoding([PNGBytes.chunk("cICP", data), Self.gamma(100_000)])
          == ColorEncoding(primaries: .sRGB, transfer: .power(1)))
    }
  }

  @Test func nonsenseIsTolerated() throws {
    for chunk in [
      Self.gamma(0), Self.chromaticities([0, 0, 0, 0, 0, 0, 0, 0]), PNGBytes.chunk("gAMA", [1]),
      // The three on a line make no white.
      Self.chromaticities([31_270, 32_900, 60_000, 30_000, 50_000, 25_000, 40_000, 20_000]),
      PNGBytes.chunk("gAMA", PNGBytes.big(100_000), spoilingChecksum: true), PNGBytes.chunk("sRGB", [9]),
    ] {
      let decoded = try decoded([chunk])
      #expect(decoded.image.profile == .sRGB)
      #expect(decoded.flags == [.tolerated])
    }
  }
}
