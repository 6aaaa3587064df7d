import FetchPipeline
import ImageTransforms
import Testing

/// The kernels against the definition in doubles: never more than a level apart.
struct ResamplerAccuracyTests {
  enum Pattern: String, CaseIterable {
    case random, ramp, impulse, checkerboard, step

    func sample(_ x: Int, _ y: Int, _ channel: Int, width: Int, height: Int, most: Int) -> Int {
      switch self {
      case .random:
        var random = SeededRandom(UInt64(x * 7919 + y * 104_729 + channel))
        return Int.random(in: 0...most, using: &random)
      case .ramp: return min((x + y + channel) * most / (width + height), most)
      case .impulse: return x == width / 2 && y == height / 2 ? most : 0
      case .checkerboard: return (x + y + channel) % 2 == 0 ? most : 0
      case .step: return x * 2 < width ? 0 : most
      }
    }
  }

  static let kernels: [(ResampleKernel, @Sendable (Double) -> Double)] = [
    (.lanczos3, { ReferenceResampling.lanczos3($0) }), (.mitchell, { ReferenceResampling.mitchell($0) }),
    (.catrom, { ReferenceResampling.catrom($0) }), (.linear, { ReferenceResampling.triangle($0) }),
  ]

  /// Source and target sizes: reductions and enlargements by odd factors, one side of 1, far reductions.
  static let sizes: [(PixelSize, PixelSize)] = [
    (PixelSize(width: 61, height: 47), PixelSize(width: 24, height: 17)),
    (PixelSize(width: 40, height: 30), PixelSize(width: 26, height: 30)),
    (PixelSize(width: 13, height: 9), PixelSize(width: 29, height: 23)),
    (PixelSize(width: 1, height: 1), PixelSize(width: 5, height: 3)),
    (PixelSize(width: 7, height: 5), PixelSize(width: 1, height: 1)),
    (PixelSize(width: 300, height: 20), PixelSize(width: 7, height: 9)),
    (PixelSize(width: 90, height: 3), PixelSize(width: 2, height: 5)),
  ]

  private func check(
    _ layout: PixelLayout, _ depth: SampleDepth, _ pattern: Pattern, from source: PixelSize, to target: PixelSize,
    kernel: ResampleKernel, reference: (Double) -> Double
  ) throws {
    let most = depth == .eight ? 255 : 65_535
    let image = try PixelImage.make(
      layout, source.width, source.height, depth: depth, alpha: layout.hasAlpha ? .premultiplied : nil
    ) { plane, x, y, channel in
      // Premultiplied: no colour above its alpha.
      let alpha = pattern.sample(x, y, 9, width: source.width, height: source.height, most: most)
      let value = pattern.sample(x, y, channel + plane, width: source.width, height: source.height, most: most)
      return layout.hasAlpha ? (channel == layout.channels - 1 ? alpha : min(value, alpha)) : value
    }
    let result = try Resampler(kernel: kernel).resample(image, to: target, chroma: ChromaSubsampling.none)
    #expect(result.size == target)
    #expect(result.isLiteral)
    for plane in 0..<layout.planeCount {
      let channels = layout.channels
      let expected = ReferenceResampling.resample(
        image.samples(ofPlane: plane).map(Double.init), columns: source.width, rows: source.height, channels: channels,
        to: target, kernel: reference)
      let actual = result.samples(ofPlane: plane)
      var worst = 0.0
      for index in actual.indices {
        var value = min(max(expected[index], 0), Double(most))
        if layout.hasAlpha, index % channels != channels - 1 {
          let alpha = min(max(expected[index - index % channels + channels - 1], 0), Double(most))
          value = min(value, alpha)
        }
        worst = max(worst, abs(Double(actual[index]) - value))
      }
      #expect(worst <= 1, "\(layout) \(depth) \(pattern) \(source) \(target) \(kernel): off by \(worst)")
    }
  }

  @Test(arguments: Pattern.allCases, sizes.indices)
  func `grey is within a level of the definition`(pattern: Pattern, index: Int) throws {
    let (source, target) = Self.sizes[index]
    for (kernel, reference) in Self.kernels {
      try check(.gray, .eight, pattern, from: source, to: target, kernel: kernel, reference: reference)
      try check(.gray, .sixteen, pattern, from: source, to: target, kernel: kernel, reference: reference)
    }
  }

  @Test(arguments: PixelLayout.allCases, SampleDepth.allCases)
  func `every layout and depth is within a level of the definition`(layout: PixelLayout, depth: SampleDepth) throws {
    for pattern in Pattern.allCases {
      for (source, target) in Self.sizes.prefix(3) {
        try check(
          layout, depth, pattern, from: source, to: target, kernel: .lanczos3, reference: ReferenceResampling.lanczos3)
      }
    }
  }

  @Test func `far reductions of fine patterns keep their mean`() throws {
    // 5,000 samples to one: weights so small that integers would be off by 19 levels.
    for (width, height) in [(5000, 1), (1, 5000)] {
      let image = try PixelImage.make(.gray, width, height) { _, x, y, _ in (x + y) % 2 == 0 ? 255 : 0 }
      let result = try Resampler().resample(image, to: PixelSize(width: 1, height: 1))
      #expect([127, 128].contains(result.samples()[0]))
    }
  }

  @Test(arguments: ResampleKernel.allCases)
  func `flat stays exactly flat when much is added up`(kernel: ResampleKernel) throws {
    // 30 samples to one, 182 taps: each may be rounded, their sum may not.
    for (width, height) in [(930, 3), (3, 930), (930, 930)] {
      for level in [1, 254] {
        let image = try PixelImage.make(.gray, width, height) { _, _, _, _ in level }
        let result = try Resampler(kernel: kernel).resample(
          image, to: PixelSize(width: max(width / 30, 3), height: max(height / 30, 3)))
        #expect(result.samples().allSatisfy { $0 == level })
      }
    }
  }

  @Test(arguments: ResampleKernel.allCases, PixelLayout.allCases)
  func `flat stays exactly flat`(kernel: ResampleKernel, layout: PixelLayout) throws {
    let targets = [(1, 1), (3, 2), (17, 11), (64, 50), (31, 90)]
    for depth in SampleDepth.allCases {
      for level in [0, 1, 100, 254, 255] {
        let value = depth == .eight ? level : level * 257
        let image = try PixelImage.make(layout, 31, 23, depth: depth) { plane, _, _, channel in
          // Straight alpha of a medium level beside colours of another.
          layout.hasAlpha && channel == layout.channels - 1 ? (depth == .eight ? 77 : 20_000) : value
        }
        for (width, height) in targets {
          let result = try Resampler(kernel: kernel).resample(image, to: PixelSize(width: width, height: height))
          for plane in 0..<layout.planeCount {
            let samples = result.samples(ofPlane: plane)
            let isFlat = samples.indices.allSatisfy { index in
              let isAlpha = layout.hasAlpha && index % layout.channels == layout.channels - 1
              return samples[index] == (isAlpha ? (depth == .eight ? 77 : 20_000) : value)
            }
            #expect(isFlat, "\(layout) \(depth) \(level) to \(width)×\(height)")
          }
        }
      }
    }
  }

  @Test func `nearest takes samples as they are`() throws {
    let image = try PixelImage.make(.rgb, 9, 4) { _, x, y, channel in x * 20 + y * 5 + channel }
    let result = try Resampler(kernel: .nearest).resample(image, to: PixelSize(width: 3, height: 2))
    // Centres at 1.5, 4.5, 7.5 and 1, 3: samples 1, 4, 7 and 1, 3.
    let expected = [1, 3].flatMap { y in [1, 4, 7].flatMap { x in (0..<3).map { x * 20 + y * 5 + $0 } } }
    #expect(result.samples() == expected)
  }

  @Test(arguments: [PixelLayout.gray, .rgb, .rgba, .yCbCr])
  func `the same size and window is no work`(layout: PixelLayout) throws {
    let image = try PixelImage.make(layout, 257, 255) { plane, x, y, channel in (x * 3 + y * 7 + channel + plane) & 255
    }
    let result = try Resampler(kernel: .mitchell).resample(image, to: image.size)
    for plane in 0..<layout.planeCount { #expect(result.samples(ofPlane: plane) == image.samples(ofPlane: plane)) }
  }
}
