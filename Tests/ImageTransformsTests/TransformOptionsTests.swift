import FetchPipeline
import ImageTransforms
import Testing

/// The transforms as a configuration names them.
struct TransformOptionsTests {
  private static let registry: StageRegistry = {
    var registry = StageRegistry()
    registry.register(Resize.self)
    registry.register(Crop.self)
    registry.register(Rotate.self)
    registry.register(Flip.self)
    registry.register(Blur.self)
    registry.register(Sharpen.self)
    registry.register(Grayscale.self)
    registry.register(Background.self)
    return registry
  }()

  /// What a stage's JSON becomes: the transform, or the mistakes as path and text.
  private func read(_ json: JSONValue) throws -> (transform: (any ImageTransform)?, problems: [String]) {
    let scope = ConfigurationScope(registry: Self.registry, folder: "", environment: [:])
    let place = scope.member("transform").element(0)
    let selection = StageSelection<TransformSlot>.read(json, in: place)
    let problems = scope.problems.map { "\($0.path): \($0.message)" }
    return (try selection?.stage.make(in: StageContext()), problems)
  }

  @Test func `all options are read`() throws {
    let resize = try read([
      "use": "resize", "width": 300, "height": 200, "fit": "cover", "enlarge": true, "position": "right top",
      "background": "#102030", "kernel": "mitchell",
    ])
    #expect(
      resize.transform as? Resize
        == Resize(
          width: 300, height: 200, fit: .cover, enlarge: true, position: .rightTop,
          background: Color(red: 16, green: 32, blue: 48), kernel: .mitchell))
    let crop = try read(["use": "crop", "left": "12.5%", "top": 3, "width": "50%", "height": 20])
    #expect(
      crop.transform as? Crop
        == Crop(left: .percentMillionths(12_500_000), top: .pixels(3), width: .percent(50), height: .pixels(20)))
    let aspect = try read(["use": "crop", "aspect": "16:9", "position": "entropy"])
    #expect(aspect.transform as? Crop == AspectRatio(width: 16, height: 9).map { Crop(aspect: $0, position: .entropy) })
    #expect(try read(["use": "rotate", "angle": 270]).transform as? Rotate == Rotate(angle: 270))
    #expect(try read(["use": "flip", "axis": "vertical"]).transform as? Flip == Flip(axis: .vertical))
    #expect(
      try read(["use": "blur", "sigma": .number(JSONNumber(2.5, decimals: 1))]).transform as? Blur == Blur(sigma: 2.5))
    #expect(
      try read(["use": "sharpen", "sigma": 1, "amount": .number(JSONNumber(0.5, decimals: 1)), "threshold": 4])
        .transform as? Sharpen
        == Sharpen(sigma: 1, amount: 0.5, threshold: 4))
    #expect(try read("grayscale").transform is Grayscale)
    #expect(try read(["use": "background", "color": "#fff"]).transform as? Background == Background(color: .white))
  }

  @Test func `what is wrong is named`() throws {
    let cases: [(JSONValue, String)] = [
      ("resize", "transform[0]: \"width\" or \"height\" is missing"),
      (["use": "resize", "width": 0], "transform[0].width: 0 is not between 1 and 1000000"),
      (["use": "resize", "widht": 5], "did you mean \"width\"?"),
      (["use": "resize", "width": 5, "fit": "covr"], "did you mean \"cover\"?"),
      (["use": "resize", "width": 5, "kernel": "box"], "transform[0].kernel: "),
      (["use": "crop"], "transform[0]: the part is missing"),
      (["use": "crop", "left": "101%"], "transform[0].left: \"101%\" is not a length"),
      (["use": "crop", "left": "1e1%"], "transform[0].left: \"1e1%\" is not a length"),
      (["use": "crop", "left": -1], "transform[0].left: -1 is not a length"),
      (["use": "crop", "width": 0], "transform[0].width: nothing is left"),
      (["use": "crop", "aspect": "16/9"], "transform[0].aspect: \"16/9\" is not an aspect ratio"),
      (["use": "crop", "aspect": "16:9", "left": 3], "transform[0].aspect: \"aspect\" excludes"),
      (["use": "crop", "left": 3, "position": "top"], "transform[0].position: "),
      (["use": "rotate", "angle": 45], "transform[0].angle: 45 is not one of 90, 180 and 270"),
      ("rotate", "\"angle\""),
      ("flip", "\"axis\""),
      (["use": "blur", "sigma": 0], "transform[0].sigma: "),
      (["use": "background", "color": "red"], "transform[0].color: \"red\" is not a colour"),
    ]
    for (json, expected) in cases {
      let (transform, problems) = try read(json)
      #expect(transform == nil)
      #expect(problems.count == 1, "\(problems)")
      #expect(problems.first?.contains(expected) == true, "\(problems), expected \(expected)")
    }
  }

  @Test func `options are written as they are read`() throws {
    for length in [CropLength.pixels(7), .percent(33.333), .percentMillionths(100_000_000), .percentMillionths(1)] {
      let scope = ConfigurationScope(registry: Self.registry, folder: "", environment: [:])
      #expect(CropLength.read(length.json, in: scope) == length)
    }
    #expect(CropLength.percent(12.5).json == "12.5%")
    #expect(AspectRatio(width: 16, height: 9)?.json == "16:9")
  }

  @Test func `every option is part of the fingerprint`() throws {
    func digest(_ transform: any ImageTransform) -> Digest {
      var print = Fingerprint("test")
      transform.fingerprint(into: &print)
      return print.digest()
    }
    let square = try #require(AspectRatio(width: 1, height: 1))
    let transforms: [any ImageTransform] = [
      Resize(width: 1), Resize(height: 1), Resize(width: 1, height: 1), Resize(width: 1, fit: .cover),
      Resize(width: 1, enlarge: true), Resize(width: 1, position: .top), Resize(width: 1, background: .white),
      Resize(width: 1, kernel: .catrom), Crop(), Crop(left: .pixels(1)), Crop(left: .percent(1)), Crop(top: .pixels(1)),
      Crop(width: .pixels(1)), Crop(height: .pixels(1)), Crop(aspect: square), Crop(aspect: square, position: .left),
      Rotate(angle: 90), Rotate(angle: 180), Flip(axis: .horizontal), Flip(axis: .vertical), Blur(sigma: 1),
      Blur(sigma: 2),
      Sharpen(sigma: 2), Sharpen(sigma: 2, amount: 2), Sharpen(sigma: 2, threshold: 2), Background(color: .white),
      Background(color: .transparent),
    ]
    #expect(Set(transforms.map(digest)).count == transforms.count)
    #expect(digest(Resize(width: 5, height: 6)) == digest(Resize(width: 5, height: 6)))
  }
}
