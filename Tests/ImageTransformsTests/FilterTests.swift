import FetchPipeline
import ImageTransforms
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Blur and sharpen against their definitions.
struct FilterTests {
  /// The Gaussian of `sigma` over a row, its weights cut off at 3.5 sigma and made to add up to 1.
  private func blurred(_ samples: [Double], _ sigma: Double) -> [Double] {
    samples.indices.map { index in
      let weights = samples.indices.map { other in
        let distance = Double(other - index)
        return abs(distance) > 3.5 * sigma ? 0 : exp(-distance * distance / (2 * sigma * sigma))
      }
      let sum = weights.reduce(0, +)
      return zip(weights, samples).map { $0 * $1 }.reduce(0, +) / sum
    }
  }

  private func random(_ count: Int, most: Int) -> [Int] {
    var random = SeededRandom(5)
    return (0..<count).map { _ in Int.random(in: 0...most, using: &random) }
  }

  @Test(arguments: [0.1, 0.5, 1, 2.3, 10, 100], SampleDepth.allCases)
  func `blur is a Gaussian`(sigma: Double, depth: SampleDepth) throws {
    let most = depth == .eight ? 255 : 65_535
    let row = random(60, most: most)
    let image = try PixelImage.make(.gray, 60, 3, depth: depth) { _, x, _, _ in row[x] }
    let result = try Blur(sigma: sigma).apply(to: image, context: .testing())
    let expected = blurred(row.map(Double.init), sigma)
    let actual = result.samples()
    for y in 0..<3 {
      let worst = (0..<60).map { abs(Double(actual[y * 60 + $0]) - expected[$0]) }.max() ?? 0
      #expect(worst <= 1, "σ \(sigma), \(depth): off by \(worst)")
    }
    let column = try PixelImage.make(.gray, 3, 60, depth: depth) { _, _, y, _ in row[y] }
    let down = try Blur(sigma: sigma).apply(to: column, context: .testing()).samples()
    #expect((0..<60).allSatisfy { abs(Double(down[$0 * 3]) - expected[$0]) <= 1 })
  }

  @Test(arguments: PixelLayout.allCases)
  func `flat stays flat under blur and sharpen`(layout: PixelLayout) throws {
    for depth in SampleDepth.allCases {
      let level = depth == .eight ? 200 : 51_400
      let image = try PixelImage.make(layout, 23, 17, depth: depth, orientation: .right) { _, _, _, _ in level }
      for transform in [Blur(sigma: 3), Sharpen(sigma: 2, amount: 3)] as [any ImageTransform] {
        let result = try transform.apply(to: image, context: .testing())
        #expect(result.size == image.size)
        for plane in 0..<layout.planeCount {
          #expect(result.samples(ofPlane: plane).allSatisfy { $0 == level }, "\(layout) \(depth)")
        }
      }
    }
  }

  @Test func `the colour of transparent pixels does not bleed in`() throws {
    let image = try PixelImage.make(.rgba, 40, 40) { _, x, y, channel in
      let isOpaque = (x / 3 + y / 3) % 2 == 1
      return channel == 0 ? (isOpaque ? 0 : 255) : channel == 2 || channel == 3 ? (isOpaque ? 255 : 0) : 0
    }
    let samples = try Blur(sigma: 2).apply(to: image, context: .testing()).samples()
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      #expect(samples[pixel] == 0)
      #expect(samples[pixel + 2] == 255)
    }
  }

  @Test func `a sparse picture is blurred as its pixels would be`() throws {
    // The same step of 400 pixels, whole and at a quarter, blurred by 16 pixels.
    let whole = try PixelImage.make(.gray, 400, 8) { _, x, _, _ in x < 200 ? 0 : 240 }
    let sparse = try PixelImage.make(.gray, 100, 2, size: whole.size) { _, x, _, _ in x < 50 ? 0 : 240 }
    let target = PixelSize(width: 50, height: 1)
    let first = try Resampler().resample(Blur(sigma: 16).apply(to: whole, context: .testing()), to: target)
    let second = try Resampler().resample(Blur(sigma: 16).apply(to: sparse, context: .testing()), to: target)
    #expect(zip(first.samples(), second.samples()).allSatisfy { abs($0 - $1) <= 2 })
    // Halved chroma is blurred by half as many samples.
    let chroma = PixelSize(width: 200, height: 4)
    let planar = try PixelImage.make(.yCbCr, 400, 8, planes: [PixelSize(width: 400, height: 8), chroma, chroma]) {
      plane, x, _, _ in
      plane == 0 ? (x < 200 ? 0 : 240) : (x < 100 ? 0 : 240)
    }
    let result = try Blur(sigma: 16).apply(to: planar, context: .testing())
    let (luma, blue) = (result.samples(ofPlane: 0), result.samples(ofPlane: 1))
    for x in 0..<200 {
      let mean = Double(luma[2 * x] + luma[2 * x + 1]) / 2
      #expect(abs(Double(blue[x]) - mean) <= 2)
    }
  }

  @Test func `a blur does not look beyond a crop`() throws {
    let image = try PixelImage.make(.gray, 60, 20) { _, x, _, _ in x < 20 || x >= 40 ? 255 : 10 }
    let crop = try Crop(left: .pixels(20), width: .pixels(20)).apply(to: image, context: .testing())
    let result = try Blur(sigma: 5).apply(to: crop, context: .testing())
    #expect(result.planes[0].size == PixelSize(width: 20, height: 20))
    #expect(result.samples().allSatisfy { $0 == 10 })
  }

  @Test(arguments: SampleDepth.allCases)
  func `sharpening adds what the blurred picture lacks`(depth: SampleDepth) throws {
    let most = depth == .eight ? 255 : 65_535
    let row = random(60, most: most)
    let image = try PixelImage.make(.gray, 60, 2, depth: depth) { _, x, _, _ in row[x] }
    let soft = blurred(row.map(Double.init), 1.5)
    for (amount, threshold) in [(1.0, 0.0), (0.4, 0), (3, 30)] {
      let result = try Sharpen(sigma: 1.5, amount: amount, threshold: threshold).apply(to: image, context: .testing())
        .samples()
      for x in 0..<60 {
        let difference = Double(row[x]) - soft[x]
        let level = threshold * Double(most) / 255
        // What lies at the threshold may go either way.
        if threshold > 0, abs(abs(difference) - level) < Double(most) / 255 { continue }
        let expected = abs(difference) < level ? Double(row[x]) : Double(row[x]) + amount * difference
        #expect(abs(Double(result[x]) - min(max(expected, 0), Double(most))) <= 1)
      }
    }
  }

  @Test func `sharpening looks at luma, in every layout alike`() throws {
    let converter = StandardPixelConverter()
    let rgb = try PixelImage.make(.rgb, 40, 4) { _, x, _, channel in
      x < 20 ? [120, 80, 100][channel] : [150, 110, 130][channel]
    }
    let planar = try converter.convert(
      rgb, to: PixelForm(layouts: [.yCbCr], chroma: ChromaSubsampling.none), background: .white)
    let withAlpha = try converter.convert(rgb, to: PixelForm(layouts: [.rgba], alpha: [.straight]), background: .white)
    let sharpen = Sharpen(sigma: 2, amount: 2)
    let expected = try sharpen.apply(to: rgb, context: .testing())
    #expect(expected.pixel(20, 1)[0] > 160)
    // The same is added to each colour.
    #expect(expected.pixel(20, 1)[0] - 150 == expected.pixel(20, 1)[1] - 110)
    let form = PixelForm(layouts: [.rgb], alpha: [.opaque])
    for image in [planar, withAlpha] {
      let actual = try converter.convert(sharpen.apply(to: image, context: .testing()), to: form, background: .white)
      #expect(zip(actual.samples(), expected.samples()).allSatisfy { abs($0 - $1) <= 2 })
    }
    let chroma = try sharpen.apply(to: planar, context: .testing())
    #expect(chroma.samples(ofPlane: 1) == planar.samples(ofPlane: 1))
  }

  @Test func `filters need a margin of what is around`() {
    let size = PixelSize(width: 100, height: 50)
    let part = PixelDemand(region: PixelRect(x: 10, y: 30, width: 20, height: 10), scale: 0.5)
    let expected = PixelDemand(region: PixelRect(x: 3, y: 23, width: 34, height: 24), scale: 0.5)
    #expect(Blur(sigma: 2).demand(on: size, for: part) == expected)
    #expect(Sharpen(sigma: 2).demand(on: size, for: part) == expected)
    #expect(Blur(sigma: 20).demand(on: size, for: part).region == PixelRect(x: 0, y: 0, width: 100, height: 50))
    #expect(Grayscale().demand(on: size, for: part) == part)
    #expect(Background().demand(on: size, for: part) == part)
    #expect(
      Rotate(angle: 90).demand(
        on: size, for: PixelDemand(region: PixelRect(x: 0, y: 0, width: 10, height: 20), scale: 0.5))
        == PixelDemand(region: PixelRect(x: 0, y: 40, width: 20, height: 10), scale: 0.5))
    #expect(
      Flip(axis: .horizontal).demand(on: size, for: part).region == PixelRect(x: 70, y: 30, width: 20, height: 10))
  }
}
