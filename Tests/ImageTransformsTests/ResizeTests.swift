import FetchPipeline
import ImageTransforms
import Testing

/// The transform as the engine uses it.
struct ResizeTests {
  @Test(arguments: PixelLayout.allCases, SampleDepth.allCases)
  func `thin and odd pictures of every kind get their size`(layout: PixelLayout, depth: SampleDepth) throws {
    let most = depth == .eight ? 255 : 65_535
    for (width, height) in [(1, 1), (1, 5000), (5000, 1), (257, 255)] {
      let image = try PixelImage.make(layout, width, height, depth: depth) { _, x, y, channel in
        layout.hasAlpha && channel == layout.channels - 1 ? most : (x + y) * most / (width + height)
      }
      for fit in ResizeFit.allCases {
        let resize = Resize(width: 64, height: 48, fit: fit)
        let result = try resize.apply(to: image, context: .testing())
        #expect(result.size == resize.outputSize(for: image.size))
        #expect(result.isLiteral)
        #expect(result.depth == depth)
      }
    }
  }

  @Test(arguments: [AlphaState.straight, .premultiplied], SampleDepth.allCases)
  func `the colour of transparent pixels does not bleed in`(alpha: AlphaState, depth: SampleDepth) throws {
    let most = depth == .eight ? 255 : 65_535
    // Red where nobody sees it (or, premultiplied, nothing), blue where it is opaque, in cells of 3.
    let image = try PixelImage.make(.rgba, 90, 90, depth: depth, alpha: alpha) { _, x, y, channel in
      let isOpaque = (x / 3 + y / 3) % 2 == 1
      switch channel {
      case 0: return isOpaque || alpha == .premultiplied ? 0 : most
      case 2, 3: return isOpaque ? most : 0
      default: return 0
      }
    }
    let result = try Resize(width: 31, height: 31).apply(to: image, context: .testing())
    #expect(result.alpha == alpha)
    let samples = result.samples()
    for pixel in 0..<31 * 31 {
      let (red, green, blue, opacity) = (
        samples[pixel * 4], samples[pixel * 4 + 1], samples[pixel * 4 + 2], samples[pixel * 4 + 3]
      )
      #expect(red == 0)
      #expect(green == 0)
      if alpha == .straight {
        #expect(opacity == 0 || blue >= most - 1)
      } else {
        #expect(blue == opacity)
      }
    }
    #expect(samples.contains { $0 > most / 4 && $0 < most * 3 / 4 })
  }

  @Test func `premultiplied colours never exceed their alpha`() throws {
    let image = try PixelImage.make(.rgba, 64, 64, alpha: .premultiplied) { _, x, y, channel in
      var random = SeededRandom(UInt64(x * 64 + y))
      let alpha = Bool.random(using: &random) ? 255 : 0
      return channel == 3 ? alpha : Int.random(in: 0...1, using: &random) * alpha
    }
    for size in [PixelSize(width: 37, height: 41), PixelSize(width: 150, height: 99)] {
      let samples = try Resampler().resample(image, to: size).samples()
      for pixel in stride(from: 0, to: samples.count, by: 4) {
        #expect(samples[pixel..<pixel + 3].allSatisfy { $0 <= samples[pixel + 3] })
      }
    }
  }

  @Test func `cover keeps what the position says`() throws {
    // 90×30, a third each: 0, 100, 200.
    let image = try PixelImage.make(.gray, 90, 30) { _, x, _, _ in x / 30 * 100 }
    for (position, level) in [
      (CropPosition.left, 0), (.center, 100), (.right, 200), (.leftTop, 0), (.rightBottom, 200),
    ] {
      let result = try Resize(width: 30, height: 30, fit: .cover, position: position)
        .apply(to: image, context: .testing())
      #expect(result.samples() == Array(repeating: level, count: 900))
    }
    let tall = try PixelImage.make(.gray, 30, 90) { _, _, y, _ in y / 30 * 100 }
    for (position, level) in [(CropPosition.top, 0), (.center, 100), (.bottom, 200)] {
      let result = try Resize(width: 30, height: 30, fit: .cover, position: position)
        .apply(to: tall, context: .testing())
      #expect(result.samples() == Array(repeating: level, count: 900))
    }
  }

  @Test func `cover cuts at what is shown, not at what is stored`() throws {
    // Stored 30×90, shown turned a quarter clockwise as 90×30: what is stored at the bottom is shown at the left.
    let image = try PixelImage.make(.gray, 30, 90, orientation: .right) { _, _, y, _ in y / 30 * 100 }
    for (position, level) in [(CropPosition.left, 200), (.center, 100), (.right, 0)] {
      let result = try Resize(width: 30, height: 30, fit: .cover, position: position)
        .apply(to: image, context: .testing())
      #expect(result.samples() == Array(repeating: level, count: 900))
    }
  }

  @Test(arguments: [PixelLayout.gray, .yCbCr, .rgb])
  func `entropy finds where something is to be seen`(layout: PixelLayout) throws {
    for start in [0, 60, 130, 200] {
      let image = try PixelImage.make(layout, 300, 100) { plane, x, y, channel in
        guard (start..<start + 100).contains(x), plane == 0 else { return 128 }
        var random = SeededRandom(UInt64(x * 1000 + y))
        return Int.random(in: 0...255, using: &random)
      }
      let resize = Resize(width: 100, height: 100, fit: .cover, position: .entropy)
      let result = try resize.apply(to: image, context: .testing())
      #expect(result.size == PixelSize(width: 100, height: 100))
      let flat = result.samples().prefix(100 * layout.channels)
        .enumerated().filter { $0.offset % layout.channels == 0 && $0.element == 128 }
      // The window is found at about a third of the size: within 3 pixels.
      #expect(flat.count <= 8)
      #expect(try resize.apply(to: image, context: .testing()).samples() == result.samples())
    }
    // Nothing anywhere: the middle.
    let flat = try PixelImage.make(layout, 300, 100) { plane, x, _, _ in plane == 0 ? (x == 150 ? 129 : 128) : 128 }
    let result = try Resize(width: 100, height: 100, fit: .cover, position: .entropy).apply(
      to: flat, context: .testing())
    #expect(result.pixel(50, 10)[0] == 129)
  }

  @Test func `contain pads evenly, with what the encoder can show`() throws {
    let image = try PixelImage.make(.rgb, 40, 20) { _, _, _, channel in [200, 100, 50][channel] }
    let resize = Resize(width: 21, height: 22, fit: .contain)
    // 21×10.5 → 21×11; 11 rows are left: 5 above, 6 below.
    let transparent = try resize.apply(to: image, context: .testing(wanted: .png))
    #expect(transparent.layout == .rgba)
    #expect(transparent.alpha == .straight)
    #expect(transparent.pixel(10, 4) == [0, 0, 0, 0])
    #expect(transparent.pixel(0, 5) == [200, 100, 50, 255])
    #expect(transparent.pixel(20, 15) == [200, 100, 50, 255])
    #expect(transparent.pixel(10, 16) == [0, 0, 0, 0])

    let opaque = try resize.apply(to: image, context: .testing(wanted: .jpeg))
    #expect(opaque.layout == .rgb)
    #expect(opaque.pixel(10, 4) == [255, 255, 255])
    #expect(opaque.pixel(10, 5) == [200, 100, 50])

    let named = try Resize(width: 21, height: 22, fit: .contain, background: Color(red: 1, green: 2, blue: 3))
      .apply(to: image, context: .testing(wanted: .png))
    #expect(named.pixel(10, 4) == [1, 2, 3])

    let half = try Resize(
      width: 21, height: 22, fit: .contain, background: Color(red: 255, green: 0, blue: 0, alpha: 51)
    )
    .apply(to: image, context: .testing(wanted: .jpeg))
    // A fifth of red over white.
    #expect(half.pixel(10, 4) == [255, 204, 204])
  }

  @Test(arguments: [PixelLayout.yCbCr, .gray, .grayAlpha, .rgba, .cmyk], SampleDepth.allCases)
  func `contain pads every layout`(layout: PixelLayout, depth: SampleDepth) throws {
    let factor = depth == .eight ? 1 : 257
    let image = try PixelImage.make(layout, 20, 10, depth: depth) { plane, _, _, channel in
      (layout.hasAlpha && channel == layout.channels - 1 ? 255 : layout == .yCbCr && plane > 0 ? 128 : 0) * factor
    }
    let result = try Resize(width: 20, height: 16, fit: .contain, background: Color(red: 0, green: 0, blue: 255))
      .apply(to: image, context: .testing(wanted: .png))
    #expect(result.size == PixelSize(width: 20, height: 16))
    let rgb = try StandardPixelConverter().convert(
      result, to: PixelForm(layouts: [.rgb], depths: [depth], alpha: [.opaque]), background: .white)
    let padding = rgb.pixel(3, 1).map { $0 / factor }
    #expect(zip(padding, [0, 0, 255]).allSatisfy { abs($0 - $1) <= 1 }, "\(padding)")
    let inner = rgb.pixel(3, 8).map { $0 / factor }
    #expect(inner == (layout == .cmyk ? [255, 255, 255] : [0, 0, 0]))
  }

  @Test func `chroma comes in the size that the encoder takes`() throws {
    let image = try PixelImage.make(
      .yCbCr, 101, 67,
      planes: [
        PixelSize(width: 101, height: 67), PixelSize(width: 51, height: 34), PixelSize(width: 51, height: 34),
      ],
      windows: [
        PixelRect(x: 0, y: 0, width: 101, height: 67), PixelRect(x: 0, y: 0, width: 50.5, height: 33.5),
        PixelRect(x: 0, y: 0, width: 50.5, height: 33.5),
      ]
    ) { plane, _, _, _ in 60 + plane }
    let resize = Resize(width: 51, height: 51)
    let half = try resize.apply(to: image, context: .testing(wanted: .jpeg))
    #expect(half.layout == .yCbCr)
    #expect(half.size == PixelSize(width: 51, height: 34))
    #expect(half.planes[1].size == PixelSize(width: 26, height: 17))
    // For RGB chroma is made as large as luma, in the same step.
    let full = try resize.apply(to: image, context: .testing(wanted: .png))
    #expect(full.layout == .yCbCr)
    #expect(full.planes[1].size == PixelSize(width: 51, height: 34))
    // Nothing is left to do for a picture in the form already.
    let again = try StandardPixelConverter().convert(half, to: .jpeg, background: .white)
    #expect(again.planes == half.planes)
    // Of a small picture only chroma is touched.
    let small = try Resize(width: 256, height: 256).apply(to: image, context: .testing(wanted: .jpeg))
    #expect(small.size == image.size)
    #expect(small.samples() == image.samples())
    #expect(small.planes[2].size == PixelSize(width: 51, height: 34))
  }

  @Test func `limited range stays as it is`() throws {
    let image = try PixelImage.make(.yCbCr, 20, 20, range: .limited) { _, x, _, _ in x < 10 ? 16 : 235 }
    let result = try Resize(width: 10, height: 10).apply(to: image, context: .testing())
    #expect(result.range == .limited)
    #expect(result.samples().min() ?? 0 < 17)
  }

  @Test func `16-bit grey stays a ramp`() throws {
    let image = try PixelImage.make(.gray, 256, 8, depth: .sixteen) { _, x, _, _ in x * 257 }
    let result = try Resize(width: 64, height: 2).apply(to: image, context: .testing())
    let row = Array(result.samples().prefix(64))
    #expect(zip(row, row.dropFirst()).allSatisfy { $0 < $1 })
    #expect(row[0] < 600)
    #expect(row[63] > 64_900)
  }

  @Test func `work stops when the time is up`() throws {
    let image = try PixelImage.make(.gray, 3000, 1500) { _, _, _, _ in 0 }
    var context = TransformContext.testing()
    context.checkpoint = DecodeCheckpoint(cpuTime: .zero)
    #expect(throws: PipelineError.self) {
      try Resize(width: 600, height: 600).apply(to: image, context: context)
    }
  }
}
