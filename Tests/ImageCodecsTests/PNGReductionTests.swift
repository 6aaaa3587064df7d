import FetchPipeline
import ImageCodecs
import Testing

/// Pictures of which less than half is wanted are averaged while they are read, exactly, and every sample stays at its
/// place.
@Suite struct PNGReductionTests {
  /// What a plan asks for, the box that serves it: the largest one that leaves at least so many samples.
  @Test(arguments: [
    (1.0, 1), (0.6, 1), (0.5, 2), (0.4, 2), (1.0 / 3, 3), (0.3, 3), (0.1, 10), (1.0 / 49, 49), (0.001, 128),
  ])
  func factors(scale: Double, factor: Int) throws {
    let png = PNGBytes(width: 256, height: 128, bitDepth: 8, colorType: 0)
    let image = try PNGDecoder().decoded(png.file { x, _, _ in x }, plan: .averaging(to: scale)).image
    #expect(image.planes[0].size == PixelSize(width: (256 + factor - 1) / factor, height: (128 + factor - 1) / factor))
    #expect(image.planes[0].window.width == 256 / Double(factor))
    #expect(image.planes[0].window.height == 128 / Double(factor))
    #expect(image.size == PixelSize(width: 256, height: 128))
  }

  @Test(arguments: PNGBytes.allTypes, [2, 3, 5])
  func averagesAreExact(type: (colorType: UInt8, bitDepth: UInt8), factor: Int) throws {
    let (width, height) = (17, 13)
    var png = PNGBytes(width: width, height: height, bitDepth: type.bitDepth, colorType: type.colorType)
    if type.colorType == 3 {
      png.before = [
        PNGBytes.chunk("PLTE", (0..<768).map { UInt8($0 * 5 % 256) }.prefix(3 << Int(type.bitDepth)).map { $0 })
      ]
    }
    let levels = 1 << Int(type.bitDepth)
    let file = png.file { x, y, channel in (x * 3011 + y * 5077 + channel * 211 + x * y * 13) % levels }
    let whole = try PNGDecoder().decoded(file).image
    let reduced = try PNGDecoder().decoded(file, plan: .averaging(to: 1 / Double(factor))).image
    #expect(reduced.layout == whole.layout)
    #expect(reduced.depth == whole.depth)
    #expect(reduced.alpha == (whole.layout.hasAlpha ? .premultiplied : .opaque))
    #expect(reduced.samples() == Self.averages(of: whole, factor: factor))
  }

  /// The means of boxes, halves up, where the last column and row go on beyond the edges; of colours times alpha.
  private static func averages(of image: PixelImage, factor: Int) -> [Int] {
    let (width, height, channels) = (image.size.width, image.size.height, image.layout.channels)
    let samples = image.samples()
    let full = image.depth == .eight ? 255 : 65_535
    var result: [Int] = []
    for top in stride(from: 0, to: height, by: factor) {
      for left in stride(from: 0, to: width, by: factor) {
        for channel in 0..<channels {
          let multiplies = image.layout.hasAlpha && channel < channels - 1
          var sum = 0
          for y in top..<(top + factor) {
            for x in left..<(left + factor) {
              let pixel = (min(y, height - 1) * width + min(x, width - 1)) * channels
              sum += samples[pixel + channel] * (multiplies ? samples[pixel + channels - 1] : 1)
            }
          }
          let divisor = factor * factor * (multiplies ? full : 1)
          result.append((2 * sum + divisor) / (2 * divisor))
        }
      }
    }
    return result
  }

  /// A ramp of 16-bit levels tells where each sample lies: at the middle of its box, in the picture's coordinates.
  @Test(arguments: [2, 3, 4, 7]) func samplesStayAtTheirPlace(factor: Int) throws {
    let (width, height) = (101, 59)
    let png = PNGBytes(width: width, height: height, bitDepth: 16, colorType: 4)
    let file = png.file { x, y, channel in channel == 0 ? x * 600 : 65_535 }
    let plan = DecodePlan.averaging(to: 1 / Double(factor))
    let image = try PNGDecoder().decoded(file, plan: plan).image
    let plane = image.planes[0]
    let samples = image.samples()
    // Boxes that lie wholly inside.
    for column in 0..<(width / factor) {
      let center = Double(samples[column * 2]) / 600 + 0.5
      let place = (Double(column) + 0.5 - plane.window.x) * Double(width) / plane.window.width
      #expect(abs(center - place) < 0.01)
    }
    #expect(plane.window.width == Double(width) / Double(factor))
    #expect(plane.window.height == Double(height) / Double(factor))
  }

  /// Red that cannot be seen must not show in the mix with blue.
  @Test func transparentColorsDoNotBleed() throws {
    let png = PNGBytes(width: 36, height: 36, bitDepth: 8, colorType: 6)
    let file = png.file { x, y, channel in
      let isBlue = (x / 3 + y / 3) % 2 == 1
      return isBlue ? [0, 0, 255, 255][channel] : [255, 0, 0, 0][channel]
    }
    let image = try PNGDecoder().decoded(file, plan: .averaging(to: 0.25)).image
    #expect(image.alpha == .premultiplied)
    let samples = image.samples()
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      #expect(samples[pixel] == 0)
      #expect(samples[pixel + 1] == 0)
      #expect(samples[pixel + 2] == samples[pixel + 3])
      #expect([96, 128, 159].contains(samples[pixel + 3]))  // 6, 8 or 10 pixels of 16 are blue.
    }
  }

  @Test func sidesShorterThanABoxKeepTheirShape() throws {
    for (width, height) in [(1, 5000), (5000, 1), (3, 2000)] {
      let png = PNGBytes(width: width, height: height, bitDepth: 8, colorType: 0)
      let image = try PNGDecoder().decoded(png.file { _, _, _ in 77 }, plan: .averaging(to: 0.05)).image
      let plane = image.planes[0]
      #expect(plane.size == PixelSize(width: (width + 19) / 20, height: (height + 19) / 20))
      #expect(Set(image.samples()) == [77])
      #expect(plane.window.width == Double(width) / Double(min(width, 20)))
      #expect(plane.window.height == Double(height) / Double(min(height, 20)))
    }
  }

  /// Passes cannot be averaged as they come: the picture is whole, and says so.
  @Test func interlacedPicturesComeWhole() throws {
    var png = PNGBytes(width: 40, height: 30, bitDepth: 8, colorType: 2)
    png.isInterlaced = true
    let file = png.file { x, y, channel in x + y * 5 + channel }
    let image = try PNGDecoder().decoded(file, plan: .averaging(to: 0.1)).image
    #expect(image.isLiteral)
    var expected: [Int] = []
    for y in 0..<30 { for x in 0..<40 { expected += [x + y * 5, x + y * 5 + 1, x + y * 5 + 2] } }
    #expect(image.samples() == expected)
  }

  // MARK: Regions

  /// Only the rows of the region are stored; the window tells where the whole picture would lie.
  @Test func aRegionIsCutFromTheWhole() throws {
    let png = PNGBytes(width: 20, height: 30, bitDepth: 8, colorType: 0)
    let region = PixelRect(x: 4, y: 10.5, width: 8, height: 6)
    let image = try PNGDecoder().decoded(png.file { x, y, _ in y * 8 + x % 8 }, plan: DecodePlan(region: region)).image
    let plane = image.planes[0]
    #expect(image.size == PixelSize(width: 20, height: 30))
    #expect(plane.size.height == 7)
    #expect(plane.window == PixelRect(x: 0, y: -10, width: 20, height: 30))
    #expect(image.samples().first == 80)
  }

  @Test func aRegionIsReducedByItself() throws {
    let png = PNGBytes(width: 40, height: 40, bitDepth: 8, colorType: 0)
    let region = PixelRect(x: 9, y: 17, width: 10, height: 7)
    let file = png.file { x, y, _ in x * 2 + y * 3 }
    let image = try PNGDecoder().decoded(file, plan: .averaging(to: 0.25, region: region)).image
    let plane = image.planes[0]
    // Boxes of 4 from column 8 to 20 and row 16 to 24.
    #expect(plane.size == PixelSize(width: 3, height: 2))
    #expect(plane.window == PixelRect(x: -2, y: -4, width: 10, height: 10))
    // The mean of 2x + 3y over a box is 2(x₀ + 1.5) + 3(y₀ + 1.5).
    let expected = [16, 20].flatMap { (y: Int) -> [Int] in [8, 12, 16].map { (x: Int) -> Int in 2 * x + 3 * y + 8 } }
    #expect(image.samples() == expected)
  }
}
