import FetchPipeline
import ImageTransforms
import Testing

/// Conversions against the formulas in doubles.
struct PixelConverterTests {
  private let converter = StandardPixelConverter()

  /// Pixels of all kinds: greys, primaries, random ones; 16 columns by 8 rows.
  static func levels(_ channels: Int, depth: SampleDepth) -> [[Int]] {
    let most = depth == .eight ? 255 : 65_535
    var random = SeededRandom(11)
    return (0..<128).map { index in
      switch index {
      case 0..<16: Array(repeating: index * most / 15, count: channels)
      case 16..<32: (0..<channels).map { (index >> $0) & 1 == 1 ? most : 0 }
      default: (0..<channels).map { _ in Int.random(in: 0...most, using: &random) }
      }
    }
  }

  private func image(
    _ layout: PixelLayout, depth: SampleDepth, alpha: AlphaState? = nil, range: SampleRange = .full, _ pixels: [[Int]]
  ) throws -> PixelImage {
    try PixelImage.make(layout, 16, 8, depth: depth, alpha: alpha, range: range) { plane, x, y, channel in
      pixels[y * 16 + x][layout == .yCbCr ? plane : channel]
    }
  }

  /// All pixels of a literal picture without subsampling.
  private func pixels(_ image: PixelImage) -> [[Int]] {
    let planes = image.planes.indices.map(image.samples(ofPlane:))
    let channels = image.layout.channels
    return (0..<image.size.width * image.size.height).map { index in
      image.layout == .yCbCr ? planes.map { $0[index] } : Array(planes[0][index * channels..<(index + 1) * channels])
    }
  }

  // Colours as doubles, 0…1 for RGB, grey and alpha.

  /// Red, green, blue and alpha of a pixel by the definitions.
  private func color(_ pixel: [Int], _ layout: PixelLayout, most: Double, range: SampleRange = .full) -> [Double] {
    let p = pixel.map(Double.init)
    switch layout {
    case .gray: return [p[0] / most, p[0] / most, p[0] / most, 1]
    case .grayAlpha: return [p[0] / most, p[0] / most, p[0] / most, p[1] / most]
    case .rgb: return [p[0] / most, p[1] / most, p[2] / most, 1]
    case .rgba: return p.map { $0 / most }
    case .cmyk: return (0..<3).map { (1 - p[$0] / most) * (1 - p[3] / most) } + [1]
    case .yCbCr:
      let unit = most == 255 ? 1.0 : 256
      let (y, b, r): (Double, Double, Double) =
        range == .full
        ? (p[0] / most, (p[1] - 128 * unit) / most, (p[2] - 128 * unit) / most)
        : ((p[0] - 16 * unit) / (219 * unit), (p[1] - 128 * unit) / (224 * unit), (p[2] - 128 * unit) / (224 * unit))
      // BT.601: Kr = 0.299, Kb = 0.114.
      let (red, blue) = (y + 2 * (1 - 0.299) * r, y + 2 * (1 - 0.114) * b)
      return [red, (y - 0.299 * red - 0.114 * blue) / 0.587, blue, 1].map { min(max($0, 0), 1) }
    }
  }

  /// A colour as the samples of a layout, unrounded.
  private func samples(_ color: [Double], _ layout: PixelLayout, most: Double) -> [Double] {
    let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]
    switch layout {
    case .gray: return [luma * most]
    case .grayAlpha: return [luma * most, color[3] * most]
    case .rgb: return color.prefix(3).map { $0 * most }
    case .rgba: return color.map { $0 * most }
    case .cmyk:
      let light = max(color[0], color[1], color[2])
      return (0..<3).map { light == 0 ? 0 : (light - color[$0]) / light * most } + [(1 - light) * most]
    case .yCbCr:
      let middle = most == 255 ? 128.0 : 32_768
      return [
        luma * most, (color[2] - luma) / (2 * (1 - 0.114)) * most + middle,
        (color[0] - luma) / (2 * (1 - 0.299)) * most + middle,
      ].map { min(max($0, 0), most) }
    }
  }

  @Test(arguments: PixelLayout.allCases, PixelLayout.allCases)
  func `each pair of layouts follows the formulas`(from: PixelLayout, to: PixelLayout) throws {
    for depth in SampleDepth.allCases {
      let most = depth == .eight ? 255.0 : 65_535
      let source = Self.levels(from == .yCbCr ? 3 : from.channels, depth: depth)
      let background = Color(red: 90, green: 90, blue: 90)
      let form = PixelForm(
        layouts: [to], depths: [depth], chroma: ChromaSubsampling.none, isLiteral: true,
        alpha: to.hasAlpha ? [.straight] : [.opaque])
      let result = try converter.convert(image(from, depth: depth, source), to: form, background: background)
      #expect(result.layout == to)
      #expect(result.depth == depth)
      #expect(result.alpha == (to.hasAlpha ? .straight : .opaque))
      // Black is where CMYK divides, so that a level there is many elsewhere: compared as the colour that it shows.
      let goesThroughInks = to == .cmyk && from != .cmyk
      for (pixel, actual) in zip(source, pixels(result)) {
        if from == to {
          #expect(actual == pixel)
          continue
        }
        var wanted = color(pixel, from, most: most)
        if !to.hasAlpha {
          // Over a grey of 90.
          wanted = wanted.prefix(3).map { $0 * wanted[3] + 90.0 / 255 * (1 - wanted[3]) } + [1]
        }
        var expected = goesThroughInks ? wanted.prefix(3).map { $0 * most } : samples(wanted, to, most: most)
        // Grey of YCbCr is its luma, also of what lies outside RGB.
        if from == .yCbCr, to == .gray || to == .grayAlpha { expected[0] = Double(pixel[0]) }
        let shown =
          goesThroughInks ? color(actual, .cmyk, most: most).prefix(3).map { $0 * most } : actual.map(Double.init)
        let tolerance = goesThroughInks ? 2.0 : 1.0
        let worst = zip(expected, shown).map { abs($0 - $1) }.max() ?? 0
        #expect(worst <= tolerance, "\(from) → \(to), \(depth): \(pixel) → \(actual), expected \(expected)")
      }
    }
  }

  @Test(arguments: SampleDepth.allCases)
  func `limited range becomes full, RGB or grey`(depth: SampleDepth) throws {
    let most = depth == .eight ? 255.0 : 65_535
    let source = Self.levels(3, depth: depth)
    for to in [PixelLayout.yCbCr, .rgb, .gray] {
      let form = PixelForm(
        layouts: [to], depths: [depth], chroma: ChromaSubsampling.none, isLiteral: true, alpha: [.opaque])
      let result = try converter.convert(
        image(.yCbCr, depth: depth, range: .limited, source), to: form, background: .white)
      #expect(result.range == .full)
      for (pixel, actual) in zip(source, pixels(result)) {
        let p = pixel.map(Double.init)
        let unit = depth == .eight ? 1.0 : 256
        let luma = (p[0] - 16 * unit) * most / (219 * unit)
        let expected: [Double] =
          switch to {
          case .rgb: color(pixel, .yCbCr, most: most, range: .limited).prefix(3).map { $0 * most }
          case .gray: [min(max(luma, 0), most)]
          default:
            [
              luma, (p[1] - 128 * unit) * most / (224 * unit) + 128 * unit,
              (p[2] - 128 * unit) * most / (224 * unit) + 128 * unit,
            ]
            .map { min(max($0, 0), most) }
          }
        let worst = zip(expected, actual).map { abs($0 - Double($1)) }.max() ?? 0
        #expect(worst <= 1, "\(to) \(depth): \(pixel) → \(actual), expected \(expected)")
      }
    }
    let both = PixelForm(ranges: [.full, .limited])
    let kept = try converter.convert(
      image(.yCbCr, depth: depth, range: .limited, source), to: both, background: .white)
    #expect(kept.range == .limited)
    let back = try converter.convert(
      image(.yCbCr, depth: .eight, Self.levels(3, depth: .eight)), to: PixelForm(ranges: [.limited]), background: .white
    )
    #expect(back.range == .limited)
    // 255 → 235 and 16…240 about 128.
    #expect(pixels(back)[15] == [235, 240, 240])
    #expect(pixels(back)[0] == [16, 16, 16])
  }

  @Test func `depths are exchanged to the nearest level`() throws {
    let wide = try PixelImage.make(.gray, 256, 256, depth: .sixteen) { _, x, y, _ in y * 256 + x }
    let narrow = try converter.convert(wide, to: PixelForm(depths: [.eight]), background: .white)
    #expect(narrow.samples() == (0..<65_536).map { Int((Double($0) / 257).rounded()) })
    let widened = try converter.convert(narrow, to: PixelForm(depths: [.sixteen]), background: .white)
    #expect(widened.samples() == narrow.samples().map { $0 * 257 })
  }

  @Test func `alpha is multiplied in and divided out exactly`() throws {
    let straight = try PixelImage.make(.grayAlpha, 256, 256) { _, x, y, channel in channel == 0 ? x : y }
    let multiplied = try converter.convert(
      straight, to: PixelForm(alpha: [.opaque, .premultiplied]), background: .white)
    #expect(multiplied.alpha == .premultiplied)
    let expected = (0..<256).flatMap { alpha in
      (0..<256).flatMap { value in [Int((Double(value * alpha) / 255).rounded()), alpha] }
    }
    #expect(multiplied.samples() == expected)
    let divided = try converter.convert(multiplied, to: PixelForm(alpha: [.opaque, .straight]), background: .white)
    #expect(divided.alpha == .straight)
    let back = zip(expected.indices, expected).map { index, value in
      guard index % 2 == 0 else { return value }
      let alpha = expected[index + 1]
      return alpha == 0 ? 0 : min(Int((Double(value) * 255 / Double(alpha)).rounded()), 255)
    }
    #expect(divided.samples() == back)
    // Opaque ones survive unchanged.
    #expect(Array(divided.samples().suffix(512)) == (0..<256).flatMap { [$0, 255] })
  }

  @Test(arguments: [AlphaState.straight, .premultiplied])
  func `transparency is laid over the background`(alpha: AlphaState) throws {
    let image = try PixelImage.make(.rgba, 256, 2, alpha: alpha) { _, x, y, channel in
      channel == 3 ? x : y == 0 ? 0 : alpha == .premultiplied ? x : 255
    }
    let background = Color(red: 0, green: 128, blue: 255)
    let result = try converter.convert(image, to: PixelForm(layouts: [.rgb], alpha: [.opaque]), background: background)
    for x in 0..<256 {
      let a = Double(x) / 255
      for (row, front) in [(0, 0.0), (1, 255.0)] {
        let expected = [0.0, 128, 255].map { Int((front * a + $0 * (1 - a)).rounded()) }
        let actual = result.pixel(x, row)
        #expect(zip(actual, expected).allSatisfy { abs($0 - $1) <= 1 })
      }
    }
    // A vivid colour that is wholly transparent leaves no trace, and what is opaque stays.
    #expect(result.pixel(0, 1) == [0, 128, 255])
    #expect(result.pixel(255, 1) == [255, 255, 255])
  }

  @Test func `grey over a colour becomes coloured`() throws {
    let image = try PixelImage.make(.grayAlpha, 2, 1) { _, x, _, channel in channel == 0 ? 50 : x * 255 }
    let form = PixelForm(layouts: [.gray, .rgb], alpha: [.opaque])
    let colored = try converter.convert(image, to: form, background: Color(red: 9, green: 8, blue: 7))
    #expect(colored.layout == .rgb)
    #expect(colored.samples() == [9, 8, 7, 50, 50, 50])
    let gray = try converter.convert(image, to: form, background: .white)
    #expect(gray.layout == .gray)
    #expect(gray.samples() == [255, 50])
  }

  @Test func `nothing is done to what is in the form already`() throws {
    for layout in PixelLayout.allCases {
      var image = try PixelImage.make(layout, 5, 4) { _, x, y, _ in x + y }
      image.profile = .icc(SharedBytes([1, 2, 3]))
      let result = try converter.convert(image, to: PixelForm(isLiteral: true), background: .black)
      // The same storage: writing to the copy has to copy first, reading has not.
      let (before, after) = (address(of: image), address(of: result))
      #expect(before == after)
      #expect(result.profile == image.profile)
      #expect(result.alpha == image.alpha)
    }
    let turned = try PixelImage.make(.rgb, 5, 4, orientation: .right) { _, x, y, _ in x + y }
    let kept = try converter.convert(turned, to: PixelForm(), background: .black)
    #expect(kept.orientation == .right)
    #expect(address(of: kept) == address(of: turned))
  }

  private func address(of image: PixelImage) -> Int {
    image.withUnsafeBytes(ofPlane: 0) { Int(bitPattern: $0.baseAddress) }
  }

  @Test func `the cheapest layout that loses nothing is chosen`() throws {
    func layout(_ source: PixelLayout, _ form: PixelForm, alpha: AlphaState? = nil) throws -> PixelLayout {
      let image = try PixelImage.make(source, 4, 4, alpha: alpha) { _, _, _, _ in 100 }
      return try converter.convert(image, to: form, background: Color(red: 1, green: 2, blue: 3)).layout
    }
    #expect(try layout(.gray, .png) == .gray)
    #expect(try layout(.gray, .jpeg) == .gray)
    #expect(try layout(.gray, PixelForm(layouts: [.rgb, .yCbCr])) == .yCbCr)
    #expect(try layout(.yCbCr, .png) == .rgb)
    #expect(try layout(.yCbCr, .jpeg) == .yCbCr)
    #expect(try layout(.rgba, .png) == .rgba)
    #expect(try layout(.rgba, .png, alpha: .opaque) == .rgb)
    #expect(try layout(.rgba, .jpeg) == .yCbCr)
    #expect(try layout(.grayAlpha, .png) == .grayAlpha)
    #expect(try layout(.grayAlpha, PixelForm(layouts: [.rgb, .rgba])) == .rgba)
    #expect(try layout(.cmyk, .jpeg) == .yCbCr)
    #expect(try layout(.cmyk, .png) == .rgb)
    #expect(try layout(.rgb, PixelForm(layouts: [.rgba], alpha: [.straight])) == .rgba)
    #expect(throws: PipelineError.self) { try layout(.rgb, PixelForm(layouts: [])) }
    #expect(throws: PipelineError.self) { try layout(.rgb, PixelForm(depths: [])) }
  }

  @Test func `chroma is subsampled by means and filled in by the triangle`() throws {
    // Columns of pure red and pure blue, in pairs: their mean has the mean chroma.
    let image = try PixelImage.make(.rgb, 5, 3) { _, x, _, channel in
      channel == 0 ? (x % 2 == 0 ? 255 : 0) : channel == 2 ? (x % 2 == 0 ? 0 : 255) : 0
    }
    let result = try converter.convert(image, to: .jpeg, background: .white)
    #expect(result.planes[1].size == PixelSize(width: 3, height: 2))
    // Cb: red 128 − 0.168736 · 255 = 84.97, blue 255.5; Cr: red 255.5, blue 128 − 0.081312 · 255 = 107.27.
    let (cb, cr) = (result.samples(ofPlane: 1), result.samples(ofPlane: 2))
    for row in 0..<2 {
      #expect(abs(cb[row * 3] - 170) <= 1)
      #expect(cb[row * 3 + 2] == 85)
      #expect(abs(cr[row * 3] - 181) <= 1)
      #expect(cr[row * 3 + 2] == 255)
    }
    let subsampled = try PixelImage.make(
      .yCbCr, 8, 2,
      planes: [PixelSize(width: 8, height: 2), PixelSize(width: 4, height: 1), PixelSize(width: 4, height: 1)]
    ) { plane, x, _, _ in plane == 0 ? 128 : plane == 1 ? 128 : 128 + x * 16 }
    let rgb = try converter.convert(
      subsampled, to: PixelForm(layouts: [.rgb], isLiteral: false, alpha: [.opaque]), background: .white)
    // Chroma at luma's places: −1/4, 1/4, 3/4, … of a chroma sample, the edges held: 0, 4, 12, 20, 28, 36, 44, 48.
    let reds = (0..<8).map { rgb.pixel($0, 0)[0] }
    let expected = [0, 4, 12, 20, 28, 36, 44, 48].map { 128 + 1.402 * Double($0) }
    #expect(zip(reds, expected).allSatisfy { abs(Double($0) - $1) <= 1 }, "\(reds)")
  }

  @Test func `fractional windows and sparse samples become literal`() throws {
    let image = try PixelImage.make(
      .yCbCr, 51, 51,
      planes: [PixelSize(width: 51, height: 51), PixelSize(width: 26, height: 26), PixelSize(width: 26, height: 26)],
      windows: [
        PixelRect(x: 0, y: 0, width: 50.125, height: 50.125), PixelRect(x: 0, y: 0, width: 25.0625, height: 25.0625),
        PixelRect(x: 0, y: 0, width: 25.0625, height: 25.0625),
      ], size: PixelSize(width: 401, height: 401)
    ) { plane, _, _, _ in 70 + plane }
    let result = try converter.convert(image, to: .jpeg, background: .white)
    #expect(result.isLiteral)
    #expect(result.size == PixelSize(width: 401, height: 401))
    #expect(result.planes[1].size == PixelSize(width: 201, height: 201))
    for plane in 0..<3 { #expect(result.samples(ofPlane: plane).allSatisfy { $0 == 70 + plane }) }
  }
}
