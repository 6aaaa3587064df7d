import ColorManagement
import FetchPipeline
import Testing

/// Colours by what files say in numbers. Expectations are worked out by hand from the formulas.
struct ColorEncodingTests {
  private func converted(
    _ pixels: [[Int]], _ encoding: ColorEncoding, layout: PixelLayout = .rgb, depth: SampleDepth = .eight
  ) throws -> [[Int]] {
    var image = try PixelImage(
      layout: layout, depth: depth, size: PixelSize(width: pixels.count, height: 1), profile: .encoding(encoding))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for (at, value) in pixels.flatMap({ $0 }).enumerated() {
        if depth == .eight {
          bytes[at] = UInt8(value)
        } else {
          bytes.storeBytes(of: UInt16(value), toByteOffset: at * 2, as: UInt16.self)
        }
      }
    }
    let (result, flags) = try LittleCMSConverter().convertToSRGB(image)
    #expect(flags.isEmpty)
    #expect(result.profile == .sRGB)
    let channels = layout.channels
    return result.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<pixels.count).map { pixel in
        (0..<channels).map { channel in
          let at = pixel * channels + channel
          return depth == .eight ? Int(bytes[at]) : Int(bytes.loadUnaligned(fromByteOffset: at * 2, as: UInt16.self))
        }
      }
    }
  }

  private func expect(_ seen: [[Int]], _ wanted: [[Int]], within tolerance: Int = 1) {
    for (pixel, expected) in zip(seen, wanted) {
      for (value, right) in zip(pixel, expected) {
        #expect(abs(value - right) <= tolerance, "\(pixel), not \(expected)")
      }
    }
  }

  /// Half of the light is 188 in sRGB, a tenth of 255 as light (25/255) is 89, and 1/100 is 25.
  @Test(arguments: [PixelLayout.rgb, .gray]) func linearLight(layout: PixelLayout) throws {
    let encoding = ColorEncoding(primaries: .sRGB, transfer: .power(1))
    let gray = { (value: Int) in [Int](repeating: value, count: layout.channels) }
    expect(
      try converted([0, 25, 128, 255].map(gray), encoding, layout: layout), [0, 89, 188, 255].map(gray))
  }

  /// Light (v/255)², then the curve of sRGB: 128 is 0.25197 of the light, which is 137.5.
  @Test func aPower() throws {
    let encoding = ColorEncoding(primaries: .sRGB, transfer: .power(2))
    expect(try converted([[128, 128, 128], [255, 0, 255]], encoding), [[137, 137, 137], [255, 0, 255]])
  }

  /// Display P3's (200, 100, 50): light (0.5776, 0.1274, 0.0319); by P3's matrix to sRGB, rows (1.2249, −0.2249, 0),
  /// (−0.0420, 1.0420, 0), (−0.0197, −0.0786, 1.0983), that is (0.6788, 0.1085, 0.0136), or 215, 93 and 31.
  @Test(arguments: SampleDepth.allCases) func otherPrimaries(depth: SampleDepth) throws {
    let p3 = ColorPrimaries(
      red: Chromaticity(0.68, 0.32), green: Chromaticity(0.265, 0.69), blue: Chromaticity(0.15, 0.06))
    let unit = depth == .eight ? 1 : 257
    expect(
      try converted(
        [[200 * unit, 100 * unit, 50 * unit]], ColorEncoding(primaries: p3, transfer: .sRGB), depth: depth),
      [[215 * unit, 93 * unit, 31 * unit]], within: 1 * unit)
  }

  /// 16 is black, 235 white, and the middle between them the middle.
  @Test func narrowRange() throws {
    let encoding = ColorEncoding(primaries: .sRGB, transfer: .sRGB, isNarrowRange: true)
    expect(
      try converted([[16, 16, 16], [235, 235, 235], [125, 126, 0]], encoding),
      [[0, 0, 0], [255, 255, 255], [127, 128, 0]])
  }

  /// PQ's value of 100 cd/m² is 0.5081 (BT.2408, table 1), here 100/203 of white, 0.4926, below the knee: 186. At 203 cd/m²
  /// (0.5807) the curve is at 0.5 + 0.5·x(1 + x/m²)/(1 + x) with x = 1 and m = 8.852, that is 0.7532: 225. From
  /// 1,000 cd/m² (0.7518) on all is white.
  @Test func perceptualQuantiser() throws {
    let encoding = ColorEncoding(primaries: .sRGB, transfer: .pq)
    let values = [0, 0.5081, 0.5807, 0.7518, 1].map { Int(($0 * 65_535).rounded()) }
    let seen = try converted(values.map { [$0, $0, $0] }, encoding, depth: .sixteen)
    expect(seen, [0, 186, 225, 255, 255].map { [$0 * 257, $0 * 257, $0 * 257] }, within: 200)
  }

  /// HLG's value of graphics white is 0.75 (BT.2408, table 1): 203 cd/m² on a display of 1,000.
  @Test func hybridLogGamma() throws {
    let encoding = ColorEncoding(primaries: .sRGB, transfer: .hlg)
    let values = [0, 0.75, 1].map { Int(($0 * 65_535).rounded()) }
    let seen = try converted(values.map { [$0, $0, $0] }, encoding, depth: .sixteen)
    expect(seen, [0, 225, 255].map { [$0 * 257, $0 * 257, $0 * 257] }, within: 200)
  }

  @Test func sRGBIsNoChange() throws {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: 1, height: 1))
    image.profile = .encoding(ColorEncoding(primaries: .sRGB, transfer: .sRGB))
    #expect(LittleCMSConverter().isSRGB(image))
  }
}
