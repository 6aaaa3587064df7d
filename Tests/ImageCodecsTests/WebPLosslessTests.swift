import FetchPipeline
import ImageCodecs
import Testing

/// Lossless pictures, made by hand: pixels as they are, containers, and what is beside the pixels.
@Suite struct WebPLosslessTests {
  private static func checked(_ x: Int, _ y: Int) -> [UInt8] {
    (x / 3 + y / 3) % 2 == 1 ? [0, 0, 255, 255] : [255, 0, 0, 0]
  }

  @Test(arguments: [(1, 1), (36, 30), (257, 255), (1, 300), (300, 1)])
  func pixelsWithAlpha(width: Int, height: Int) throws {
    let data = WebPBytes.lossless(width: width, height: height, Self.checked)
    let decoded = try WebPDecoder().decoded(WebPBytes.file([WebPBytes.chunk("VP8L", data)]))
    #expect(decoded.flags.isEmpty)
    #expect(decoded.image.layout == .rgba)
    #expect(decoded.image.alpha == .straight)
    #expect(decoded.image.isLiteral)
    #expect(decoded.image.size == PixelSize(width: width, height: height))
    var expected: [Int] = []
    for y in 0..<height { for x in 0..<width { expected += Self.checked(x, y).map(Int.init) } }
    #expect(decoded.image.samples() == expected)
  }

  @Test func opaquePixels() throws {
    let data = WebPBytes.lossless(width: 7, height: 5, usesAlpha: false) { x, y in [x == y ? 9 : 200, 100, 50, 255] }
    let image = try WebPDecoder().decoded(WebPBytes.file([WebPBytes.chunk("VP8L", data)])).image
    #expect(image.layout == .rgb)
    #expect(image.alpha == .opaque)
    var expected: [Int] = []
    for y in 0..<5 { for x in 0..<7 { expected += [x == y ? 9 : 200, 100, 50] } }
    #expect(image.samples() == expected)
  }

  /// Red that cannot be seen must not show in the mix with blue.
  @Test(arguments: [0.5, 0.25, 0.3]) func transparentColorsDoNotBleed(scale: Double) throws {
    let data = WebPBytes.lossless(width: 36, height: 36, Self.checked)
    let plan = DecodePlan.averaging(to: scale)
    let image = try WebPDecoder().decoded(WebPBytes.file([WebPBytes.chunk("VP8L", data)]), plan: plan).image
    #expect(image.alpha == .premultiplied)
    let side = Int((36 * scale).rounded(.up))
    #expect(image.planes[0].size == PixelSize(width: side, height: side))
    #expect(image.planes[0].isWhole)
    let samples = image.samples()
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      #expect(samples[pixel] <= 1)
      #expect(samples[pixel + 1] == 0)
      #expect(abs(samples[pixel + 2] - samples[pixel + 3]) <= 1)
    }
    // Half of the picture is opaque.
    let alphas = stride(from: 3, to: samples.count, by: 4).map { samples[$0] }
    #expect(abs(Double(alphas.reduce(0, +)) / Double(alphas.count) - 127.5) < 2)
  }

  /// A region is cut from the picture; the window tells where the whole would lie.
  @Test func aRegionIsCutFromTheWhole() throws {
    let data = WebPBytes.lossless(width: 40, height: 30, usesAlpha: false) { x, y in
      [x >= 20 ? 255 : 0, y >= 10 ? 255 : 0, 7, 255]
    }
    let file = WebPBytes.file([WebPBytes.chunk("VP8L", data)])
    let region = PixelRect(x: 17, y: 8, width: 8, height: 6)
    let image = try WebPDecoder().decoded(file, plan: DecodePlan(region: region)).image
    #expect(image.size == PixelSize(width: 40, height: 30))
    #expect(image.planes[0].window == PixelRect(x: -16, y: -8, width: 40, height: 30))
    #expect(image.planes[0].size == PixelSize(width: 9, height: 6))
    var expected: [Int] = []
    for y in 8..<14 { for x in 16..<25 { expected += [x >= 20 ? 255 : 0, y >= 10 ? 255 : 0, 7] } }
    #expect(image.samples() == expected)
  }

  // MARK: Containers

  @Test(arguments: Orientation.allCases, [false, true])
  func orientationFromEXIF(orientation: Orientation, hasIdentifier: Bool) throws {
    let data = WebPBytes.lossless(width: 6, height: 4) { x, _ in [x == 0 ? 255 : 0, 0, 0, 255] }
    let block = WebPBytes.tiff(orientation: UInt8(orientation.rawValue))
    let file = WebPBytes.file([
      WebPBytes.extended(width: 6, height: 4, [.exif, .alpha]), WebPBytes.chunk("VP8L", data),
      WebPBytes.chunk("EXIF", (hasIdentifier ? Array("Exif".utf8) + [0, 0] : []) + block),
    ])
    let probe = try WebPDecoder().makeSession().probe(SharedBytes(file), limits: Limits())
    #expect(probe.orientation == orientation)
    #expect(probe.storedSize == PixelSize(width: 6, height: 4))
    let image = try WebPDecoder().decoded(file).image
    #expect(image.orientation == orientation)
    #expect(image.size == (orientation.swapsAxes ? PixelSize(width: 4, height: 6) : PixelSize(width: 6, height: 4)))
    #expect(image.planes[0].size == PixelSize(width: 6, height: 4))
  }

  @Test func profilesAreHandedOn() throws {
    let data = WebPBytes.lossless(width: 2, height: 2) { _, _ in [1, 2, 3, 255] }
    let profile: [UInt8] = (0..<131).map { UInt8($0) }
    let file = WebPBytes.file([
      WebPBytes.extended(width: 2, height: 2, [.profile, .alpha]), WebPBytes.chunk("ICCP", profile),
      WebPBytes.chunk("VP8L", data),
    ])
    #expect(try WebPDecoder().decoded(file).image.profile == .icc(SharedBytes(profile)))
  }

  // MARK: Animations

  private static func animation(usesAlpha: Bool) -> [UInt8] {
    let first = WebPBytes.lossless(width: 4, height: 3, usesAlpha: usesAlpha) { x, y in
      [10, 20, x == y ? 30 : 40, 255]
    }
    let second = WebPBytes.lossless(width: 10, height: 8) { _, _ in [1, 1, 1, 255] }
    return WebPBytes.file([
      WebPBytes.extended(width: 10, height: 8, [.animation, .alpha]), WebPBytes.animation,
      WebPBytes.frame(left: 4, top: 2, width: 4, height: 3, WebPBytes.chunk("VP8L", first)),
      WebPBytes.frame(left: 0, top: 0, width: 10, height: 8, WebPBytes.chunk("VP8L", second)),
    ])
  }

  @Test(arguments: [false, true]) func theFirstFrameLiesOnItsCanvas(usesAlpha: Bool) throws {
    let file = Self.animation(usesAlpha: usesAlpha)
    let probe = try WebPDecoder().makeSession().probe(SharedBytes(file), limits: Limits())
    #expect(probe.frames == 2)
    #expect(probe.hasAlpha)
    #expect(probe.storedSize == PixelSize(width: 10, height: 8))
    let image = try WebPDecoder().decoded(file).image
    var expected: [Int] = []
    for y in 0..<8 {
      for x in 0..<10 {
        let isInside = (4..<8).contains(x) && (2..<5).contains(y)
        expected += isInside ? [10, 20, x - 4 == y - 2 ? 30 : 40, 255] : [0, 0, 0, 0]
      }
    }
    #expect(image.samples() == expected)
    #expect(image.alpha == .straight)
  }

  @Test func aCanvasIsReduced() throws {
    let image = try WebPDecoder().decoded(Self.animation(usesAlpha: true), plan: .averaging(to: 0.5)).image
    #expect(image.alpha == .premultiplied)
    #expect(image.planes[0].size == PixelSize(width: 5, height: 4))
    // Boxes of 2: rows 2 and 3 wholly inside, of row 4 only its upper half.
    let samples = image.samples()
    func sample(_ x: Int, _ y: Int) -> [Int] { Array(samples[((y * 5 + x) * 4)..<((y * 5 + x) * 4 + 4)]) }
    #expect(sample(2, 1) == [10, 20, 35, 255])
    #expect(sample(3, 1) == [10, 20, 40, 255])
    #expect(sample(2, 2) == [5, 10, 20, 128])
    #expect(sample(0, 0) == [0, 0, 0, 0])
  }

  @Test func aCutAnimationShowsItsFirstFrame() throws {
    let file = Self.animation(usesAlpha: true)
    let decoded = try WebPDecoder().decoded(Array(file.dropLast(10)))
    #expect(decoded.flags == [.tolerated])
    #expect(decoded.image.size == PixelSize(width: 10, height: 8))
  }
}
