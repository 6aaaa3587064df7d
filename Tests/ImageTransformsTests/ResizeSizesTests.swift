import FetchPipeline
import ImageTransforms
import Testing

/// The contract's size formulas, row by row.
struct ResizeSizesTests {
  /// source, target (0 for a missing side), fit, enlarge, result: worked out by hand from the formulas.
  static let literal: [(Int, Int, Int, Int, ResizeFit, Bool, Int, Int)] = [
    (3000, 4000, 256, 256, .inside, false, 192, 256),
    (4000, 3000, 256, 256, .inside, false, 256, 192),
    (300, 100, 256, 256, .cover, false, 256, 100),
    (300, 100, 256, 256, .cover, true, 256, 256),
    (300, 100, 256, 256, .outside, false, 300, 100),
    (300, 100, 256, 256, .outside, true, 768, 256),
    (300, 100, 256, 256, .inside, false, 256, 85),
    (300, 100, 256, 256, .contain, false, 256, 256),
    (300, 100, 256, 256, .fill, false, 256, 100),
    (300, 100, 256, 256, .fill, true, 256, 256),
    (100, 50, 256, 256, .inside, false, 100, 50),
    (100, 50, 256, 256, .inside, true, 256, 128),
    (100, 50, 256, 256, .contain, false, 256, 256),
    (100, 50, 256, 256, .cover, false, 100, 50),
    (1, 3000, 256, 256, .inside, false, 1, 256),
    (3000, 1, 256, 256, .inside, false, 256, 1),
    (2, 9000, 256, 256, .inside, false, 1, 256),
    (9000, 3, 256, 256, .inside, false, 256, 1),
    (5, 10, 0, 5, .inside, false, 3, 5),  // 2.5 is rounded up
    (7, 10, 0, 5, .inside, false, 4, 5),  // 3.5 is rounded up
    (1000, 333, 100, 0, .inside, false, 100, 33),
    (1000, 335, 100, 0, .inside, false, 100, 34),  // 33.5
    (1000, 500, 0, 100, .cover, false, 200, 100),
    (1000, 500, 300, 0, .contain, false, 300, 150),
    (1000, 500, 300, 0, .fill, false, 300, 500),
    (1000, 500, 0, 2000, .fill, false, 1000, 500),
    (1000, 500, 0, 2000, .fill, true, 1000, 2000),
    (1000, 500, 300, 0, .outside, false, 300, 150),
    (4001, 3001, 500, 500, .cover, false, 500, 500),
    (65_500, 1, 1, 1, .inside, false, 1, 1),
  ]

  @Test(arguments: literal.indices)
  func `sizes are those of the contract`(index: Int) {
    let (w, h, width, height, fit, enlarge, expectedWidth, expectedHeight) = Self.literal[index]
    let resize = Resize(
      width: width == 0 ? nil : width, height: height == 0 ? nil : height, fit: fit, enlarge: enlarge)
    #expect(
      resize.outputSize(for: PixelSize(width: w, height: h))
        == PixelSize(width: expectedWidth, height: expectedHeight))
  }

  /// `side` · n / d rounded half up and at least 1, by trying: the largest k with 2k − 1 ≤ 2 · side · n / d.
  private func rounded(_ side: Int, _ n: Int, _ d: Int) -> Int {
    var k = 1
    while (2 * (k + 1) - 1) * d <= 2 * side * n { k += 1 }
    return k
  }

  @Test func `a thousand sizes follow the formulas`() {
    let sources = [(1, 1), (3, 2), (640, 480), (333, 500), (1, 500), (257, 255), (199, 398), (1023, 769)]
    let targets: [(Int?, Int?)] = [
      (256, 256), (100, 37), (37, 100), (1, 1), (500, nil), (nil, 64), (333, 333), (640, 480), (7, 1000),
    ]
    var rows = 0
    for (w, h) in sources {
      for (width, height) in targets {
        for fit in ResizeFit.allCases {
          for enlarge in [false, true] {
            // The ratio as numerator and denominator, the terms of missing sides left out.
            var ratios = [(Int, Int)]()
            if let width { ratios.append((width, w)) }
            if let height { ratios.append((height, h)) }
            let sorted = ratios.sorted { $0.0 * $1.1 < $1.0 * $0.1 }
            var (n, d) = fit == .cover || fit == .outside ? sorted[sorted.count - 1] : sorted[0]
            if !enlarge, n > d { (n, d) = (1, 1) }
            let scaled = (rounded(w, n, d), rounded(h, n, d))
            let expected =
              switch fit {
              case .inside, .outside: scaled
              case .cover: (min(scaled.0, width ?? .max), min(scaled.1, height ?? .max))
              case .contain: (width ?? scaled.0, height ?? scaled.1)
              case .fill where enlarge: (width ?? w, height ?? h)
              case .fill: (min(width ?? w, w), min(height ?? h, h))
              }
            let actual = Resize(width: width, height: height, fit: fit, enlarge: enlarge)
              .outputSize(for: PixelSize(width: w, height: h))
            #expect(
              actual == PixelSize(width: expected.0, height: expected.1),
              "\(w)×\(h) \(fit) \(width ?? 0)×\(height ?? 0)")
            rows += 1
          }
        }
      }
    }
    #expect(rows == 720)
  }

  @Test func `sizes that cannot be reckoned with are none`() {
    let resize = Resize(width: 256, height: 256)
    #expect(resize.outputSize(for: PixelSize(width: 0, height: 5)) == nil)
    #expect(resize.outputSize(for: PixelSize(width: -3, height: 5)) == nil)
    #expect(resize.outputSize(for: PixelSize(width: .max, height: .max)) == nil)
    // 1 pixel becomes a million wide: the other side would have 2 · 10¹⁵.
    let huge = Resize(width: 1_000_000, fit: .inside, enlarge: true)
    #expect(huge.outputSize(for: PixelSize(width: 1, height: 2_000_000_000)) == nil)
    #expect(
      Resize(width: 1, height: 1).outputSize(for: PixelSize(width: Int(Int32.max), height: Int(Int32.max)))
        == PixelSize(width: 1, height: 1))
  }

  @Test func `what is needed of the source is what is kept, as dense as the target`() {
    let source = PixelSize(width: 1000, height: 500)
    func demand(_ resize: Resize) -> PixelDemand {
      resize.demand(on: source, for: .all(of: resize.outputSize(for: source) ?? source))
    }
    #expect(
      demand(Resize(width: 250, height: 250))
        == PixelDemand(region: PixelRect(x: 0, y: 0, width: 1000, height: 500), scale: 0.25))
    #expect(
      demand(Resize(width: 250, height: 250, fit: .cover))
        == PixelDemand(region: PixelRect(x: 250, y: 0, width: 500, height: 500), scale: 0.5))
    #expect(
      demand(Resize(width: 250, height: 250, fit: .cover, position: .rightBottom))
        == PixelDemand(region: PixelRect(x: 500, y: 0, width: 500, height: 500), scale: 0.5))
    #expect(
      demand(Resize(width: 250, height: 250, fit: .cover, position: .entropy))
        == PixelDemand(region: PixelRect(x: 0, y: 0, width: 1000, height: 500), scale: 0.5))
    #expect(
      demand(Resize(width: 100, height: 400, fit: .fill))
        == PixelDemand(region: PixelRect(x: 0, y: 0, width: 1000, height: 500), scale: 0.8))
    #expect(demand(Resize(width: 4000, enlarge: true)).scale == 1)
  }
}
