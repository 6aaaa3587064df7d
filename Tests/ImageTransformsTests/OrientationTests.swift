import FetchPipeline
import ImageTransforms
import Testing

/// Carried orientation: applied once, on the small picture, for all eight values.
struct OrientationTests {
  /// Displayed corners (top left, top right, bottom left, bottom right) by what is stored there, from the pictures of the
  /// tag in Exif 2.32, 4.6.4 A. A…D are stored top left, top right, bottom left, bottom right.
  static let corners: [Orientation: String] = [
    .up: "ABCD", .upMirrored: "BADC", .down: "DCBA", .downMirrored: "CDAB", .leftMirrored: "ACBD", .right: "CADB",
    .rightMirrored: "DBCA", .left: "BDAC",
  ]

  static let colors: [Character: [Int]] = [
    "A": [250, 10, 10], "B": [10, 250, 10], "C": [10, 10, 250], "D": [200, 200, 0],
  ]

  @Test(arguments: Orientation.allCases)
  func `four corners are shown where they belong`(orientation: Orientation) throws {
    let expected = try #require(Self.corners[orientation])
    for (width, height) in [(60, 40), (61, 43)] {
      let image = try PixelImage.make(.rgb, width, height, orientation: orientation) { _, x, y, channel in
        let corner: Character = y * 2 < height ? (x * 2 < width ? "A" : "B") : (x * 2 < width ? "C" : "D")
        return Self.colors[corner]?[channel] ?? 0
      }
      let size = orientation.swapsAxes ? PixelSize(width: 20, height: 30) : PixelSize(width: 30, height: 20)
      let result = try Resampler().resample(image, to: size)
      #expect(result.orientation == .up)
      #expect(result.isLiteral)
      #expect(result.size == size)
      let shown = [(1, 1), (size.width - 2, 1), (1, size.height - 2), (size.width - 2, size.height - 2)].map { x, y in
        result.pixel(x, y)
      }
      for (corner, pixel) in zip(expected, shown) {
        let color = try #require(Self.colors[corner])
        #expect(zip(color, pixel).allSatisfy { abs($0 - $1) <= 3 }, "\(corner): \(pixel)")
      }
    }
  }

  /// Upright samples as they are stored under an orientation.
  private func stored(
    _ upright: @escaping (Int, Int) -> Int, _ size: PixelSize, _ orientation: Orientation
  ) -> (Int, Int) -> Int {
    { x, y in
      // From what is stored to where it is shown, written out from the tag's definition.
      let (w, h) = (size.width, size.height)
      switch orientation {
      case .up: return upright(x, y)
      case .upMirrored: return upright(w - 1 - x, y)
      case .down: return upright(w - 1 - x, h - 1 - y)
      case .downMirrored: return upright(x, h - 1 - y)
      case .leftMirrored: return upright(y, x)
      case .right: return upright(w - 1 - y, x)
      case .rightMirrored: return upright(w - 1 - y, h - 1 - x)
      case .left: return upright(y, h - 1 - x)
      }
    }
  }

  @Test(arguments: Orientation.allCases, [PixelSize(width: 31, height: 21), PixelSize(width: 32, height: 20)])
  func `turning before or after gives the same picture, chroma of odd sizes too`(
    orientation: Orientation, target: PixelSize
  ) throws {
    // The picture is 64×44 as shown, its chroma planes 32×22.
    let (luma, chroma) = (PixelSize(width: 64, height: 44), PixelSize(width: 32, height: 22))
    func sample(_ plane: Int) -> (Int, Int) -> Int {
      { x, y in (x * x * (plane + 2) + y * 17 + x * y) & 255 }
    }
    let upright = try PixelImage.make(.yCbCr, 64, 44, planes: [luma, chroma, chroma]) { plane, x, y, _ in
      sample(plane)(x, y)
    }
    let sizes = [luma, chroma, chroma].map(orientation.applied(to:))
    let turned = try PixelImage.make(
      .yCbCr, sizes[0].width, sizes[0].height, planes: sizes, orientation: orientation
    ) { plane, x, y, _ in
      stored(sample(plane), plane == 0 ? luma : chroma, orientation)(x, y)
    }
    #expect(turned.size == luma)
    let expected = try Resampler().resample(upright, to: target, chroma: .half)
    let actual = try Resampler().resample(turned, to: target, chroma: .half)
    for plane in 0..<3 {
      #expect(actual.planes[plane].size == expected.planes[plane].size)
      #expect(actual.planes[plane].window == expected.planes[plane].window)
      let worst = zip(actual.samples(ofPlane: plane), expected.samples(ofPlane: plane)).map { abs($0 - $1) }.max()
      #expect(try #require(worst) <= 1)
    }
  }

  @Test(arguments: PixelLayout.allCases, SampleDepth.allCases)
  func `every layout is turned`(layout: PixelLayout, depth: SampleDepth) throws {
    for orientation in Orientation.allCases {
      let size = PixelSize(width: 37, height: 18)
      func value(_ x: Int, _ y: Int, _ channel: Int, _ plane: Int) -> Int {
        (x * 6 + y * 40 + channel * 3 + plane) & 255
      }
      let storedSize = orientation.applied(to: size)
      let image = try PixelImage.make(
        layout, storedSize.width, storedSize.height, depth: depth, orientation: orientation
      ) { plane, x, y, channel in
        stored({ value($0, $1, channel, plane) }, size, orientation)(x, y)
      }
      let result = try StandardPixelConverter().convert(
        image, to: PixelForm(isLiteral: true), background: .white)
      #expect(result.isLiteral)
      for plane in 0..<layout.planeCount {
        let expected = (0..<18).flatMap { y in
          (0..<37).flatMap { x in (0..<layout.channels).map { value(x, y, $0, plane) } }
        }
        #expect(result.samples(ofPlane: plane) == expected)
      }
    }
  }

  @Test(arguments: Orientation.allCases)
  func `rotate and flip turn what is shown`(orientation: Orientation) throws {
    // 4×3 as shown, each pixel its own number.
    let size = PixelSize(width: 4, height: 3)
    let storedSize = orientation.applied(to: size)
    let image = try PixelImage.make(.gray, storedSize.width, storedSize.height, orientation: orientation) {
      _, x, y, _ in
      stored({ $1 * 10 + $0 }, size, orientation)(x, y)
    }
    func shown(_ transform: any ImageTransform) throws -> (PixelSize, [Int]) {
      let result = try transform.apply(to: image, context: .testing())
      #expect(result.size == transform.outputSize(for: size))
      let literal = try StandardPixelConverter().convert(result, to: PixelForm(isLiteral: true), background: .white)
      return (literal.size, literal.samples())
    }
    let upright = PixelSize(width: 4, height: 3)
    let tall = PixelSize(width: 3, height: 4)
    #expect(try shown(Rotate(angle: 90)) == (tall, [20, 10, 0, 21, 11, 1, 22, 12, 2, 23, 13, 3]))
    #expect(try shown(Rotate(angle: 180)) == (upright, [23, 22, 21, 20, 13, 12, 11, 10, 3, 2, 1, 0]))
    #expect(try shown(Rotate(angle: 270)) == (tall, [3, 13, 23, 2, 12, 22, 1, 11, 21, 0, 10, 20]))
    #expect(try shown(Flip(axis: .horizontal)) == (upright, [3, 2, 1, 0, 13, 12, 11, 10, 23, 22, 21, 20]))
    #expect(try shown(Flip(axis: .vertical)) == (upright, [20, 21, 22, 23, 10, 11, 12, 13, 0, 1, 2, 3]))
  }
}
