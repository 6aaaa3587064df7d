import FetchPipeline
import ImageTransforms
import Testing

/// Parts of a picture, in nominal pixels, without copying.
struct CropTests {
  private func literal(_ image: PixelImage) throws -> PixelImage {
    try StandardPixelConverter().convert(image, to: PixelForm(isLiteral: true), background: .white)
  }

  /// left, top, width, height of 200×100 and the part that they are.
  static let rectangles: [(Crop, PixelRect)] = [
    (
      Crop(left: .pixels(10), top: .pixels(20), width: .pixels(30), height: .pixels(40)),
      PixelRect(x: 10, y: 20, width: 30, height: 40)
    ),
    (
      Crop(left: .percent(10), top: .percent(25), width: .percent(50), height: .percent(50)),
      PixelRect(x: 20, y: 25, width: 100, height: 50)
    ),
    (Crop(left: .pixels(150), width: .pixels(100)), PixelRect(x: 150, y: 0, width: 50, height: 100)),
    (Crop(top: .pixels(99)), PixelRect(x: 0, y: 99, width: 200, height: 1)),
    (Crop(left: .percent(33.3), width: .percent(0.01)), PixelRect(x: 67, y: 0, width: 1, height: 100)),
    (Crop(left: .percent(0.25)), PixelRect(x: 1, y: 0, width: 199, height: 100)),  // 0.5 is rounded up
  ]

  @Test(arguments: rectangles.indices)
  func `the part is what the options say, clamped to the picture`(index: Int) throws {
    let (crop, part) = Self.rectangles[index]
    let image = try PixelImage.make(.rgb, 200, 100) { _, x, y, channel in channel == 0 ? x : channel == 1 ? y : 7 }
    let size = PixelSize(width: Int(part.width), height: Int(part.height))
    #expect(crop.outputSize(for: image.size) == size)
    let result = try crop.apply(to: image, context: .testing())
    #expect(result.size == size)
    // The same samples under another window.
    #expect(result.planes[0].size == image.planes[0].size)
    let cut = try literal(result)
    #expect(cut.pixel(0, 0) == [Int(part.x), Int(part.y), 7])
    #expect(
      cut.pixel(size.width - 1, size.height - 1) == [Int(part.x) + size.width - 1, Int(part.y) + size.height - 1, 7])
    #expect(
      crop.demand(on: image.size, for: PixelDemand(region: PixelRect(size), scale: 0.3))
        == PixelDemand(region: part, scale: 0.3))
  }

  @Test func `where nothing is left the item fails`() throws {
    let image = try PixelImage.make(.gray, 200, 100) { _, _, _, _ in 0 }
    for crop in [Crop(left: .pixels(200)), Crop(top: .pixels(1000)), Crop(left: .percent(100))] {
      #expect(crop.outputSize(for: image.size) == nil)
      let error = #expect(throws: PipelineError.self) { try crop.apply(to: image, context: .testing()) }
      #expect(error?.code == .transform)
    }
  }

  @Test func `shapes are as large as they fit`() throws {
    func size(_ w: Int, _ h: Int, _ a: Int, _ b: Int) throws -> PixelSize? {
      Crop(aspect: try #require(AspectRatio(width: a, height: b))).outputSize(for: PixelSize(width: w, height: h))
    }
    #expect(try size(1600, 1200, 16, 9) == PixelSize(width: 1600, height: 900))
    #expect(try size(1600, 600, 16, 9) == PixelSize(width: 1067, height: 600))  // 1066.67
    #expect(try size(100, 100, 1, 1) == PixelSize(width: 100, height: 100))
    #expect(try size(5, 2, 5, 4) == PixelSize(width: 3, height: 2))  // 2.5 is rounded up
    #expect(try size(3, 1000, 1000, 1) == PixelSize(width: 3, height: 1))
    #expect(try size(1000, 3, 1, 1000) == PixelSize(width: 1, height: 3))
    #expect(AspectRatio(width: 0, height: 1) == nil)
  }

  @Test func `a shape is taken from where the position says`() throws {
    let image = try PixelImage.make(.gray, 90, 30) { _, x, _, _ in x }
    let square = try #require(AspectRatio(width: 1, height: 1))
    for (position, left) in [(CropPosition.left, 0), (.center, 30), (.right, 60), (.leftBottom, 0)] {
      let crop = Crop(aspect: square, position: position)
      let result = try literal(crop.apply(to: image, context: .testing()))
      #expect(result.pixel(0, 0) == [left])
      #expect(
        crop.demand(on: image.size, for: .all(of: PixelSize(width: 30, height: 30))).region
          == PixelRect(x: Double(left), y: 0, width: 30, height: 30))
    }
    // Where only the pixels tell, all of them are needed.
    let entropy = Crop(aspect: square, position: .entropy)
    #expect(
      entropy.demand(on: image.size, for: .all(of: PixelSize(width: 30, height: 30))).region == PixelRect(image.size))
    #expect(try entropy.apply(to: image, context: .testing()).size == PixelSize(width: 30, height: 30))
  }

  @Test(arguments: Orientation.allCases)
  func `parts are reckoned in what is shown`(orientation: Orientation) throws {
    // A scaled decode at 1/4: 40×20 stored samples for a picture of 160×80 stored pixels.
    let stored = PixelSize(width: 160, height: 80)
    let size = orientation.applied(to: stored)
    let image = try PixelImage.make(.gray, 40, 20, size: size, orientation: orientation) { _, x, y, _ in x * 5 + y * 2 }
    let part = PixelRect(x: 16, y: 8, width: 48, height: 64)
    let cropped = try Crop(left: .pixels(16), top: .pixels(8), width: .pixels(48), height: .pixels(64))
      .apply(to: image, context: .testing())
    #expect(cropped.size == PixelSize(width: 48, height: 64))
    let target = PixelSize(width: 12, height: 16)
    let direct = try Resampler().resample(image, region: part, to: target)
    #expect(try Resampler().resample(cropped, to: target).samples() == direct.samples())
    // Sample for sample, at that scale.
    let upright = try Resampler().resample(image, to: PixelSize(width: size.width / 4, height: size.height / 4))
    let expected = (2..<18).flatMap { y in (4..<16).map { upright.pixel($0, y)[0] } }
    #expect(direct.samples() == expected)
  }

  @Test func `a crop in a chain and one of a crop agree`() throws {
    let image = try PixelImage.make(
      .yCbCr, 64, 64,
      planes: [PixelSize(width: 64, height: 64), PixelSize(width: 32, height: 32), PixelSize(width: 32, height: 32)]
    ) { plane, x, y, _ in
      (x * 3 + y * 2 + plane * 50) & 255
    }
    let first = try Crop(left: .pixels(5), top: .pixels(7), width: .pixels(41), height: .pixels(43)).apply(
      to: image, context: .testing())
    let second = try Crop(left: .pixels(2), top: .pixels(3), width: .pixels(20), height: .pixels(22)).apply(
      to: first, context: .testing())
    let once = try Crop(left: .pixels(7), top: .pixels(10), width: .pixels(20), height: .pixels(22)).apply(
      to: image, context: .testing())
    for plane in 0..<3 { #expect(second.planes[plane].window == once.planes[plane].window) }
    #expect(second.planes[1].window == PixelRect(x: 3.5, y: 5, width: 10, height: 11))
  }
}
