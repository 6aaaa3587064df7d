import FetchPipeline
import ImageCodecs
import Testing

@Suite("Scaled decoding of JPEG")
struct JPEGScaleTests {
  /// What is expected of a component at a scale.
  struct Plane: Sendable {
    var columns: Int
    var rows: Int
    var width: Double
    var height: Double

    init(_ columns: Int, _ rows: Int, _ width: Double, _ height: Double) {
      (self.columns, self.rows, self.width, self.height) = (columns, rows, width, height)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var size: PixelSize
    var horizontal: Int
    var vertical: Int
    var scale: Double
    var luma: Plane
    var chroma: Plane

    init(
      _ width: Int, _ height: Int, _ factors: (Int, Int), _ scale: Double, _ luma: Plane, _ chroma: Plane
    ) {
      size = PixelSize(width: width, height: height)
      (horizontal, vertical) = factors
      (self.scale, self.luma, self.chroma) = (scale, luma, chroma)
    }

    var testDescription: String { "\(size) with \(horizontal)×\(vertical) at \(scale)" }
  }

  /// Worked out by hand from T.81, A.1.1 and A.2.4: a component has ⌈X·h/(hmax·8)⌉ blocks, each of which comes out as side×side
  /// samples, and the picture ends at X·h/hmax·side/8. Chroma has the side that makes it as dense as luma, but in both
  /// directions alike.
  static let cases: [Case] = [
    // 4:2:0
    Case(401, 301, (2, 2), 1 / 8, Plane(51, 38, 50.125, 37.625), Plane(52, 38, 50.125, 37.625)),
    Case(401, 301, (2, 2), 1 / 4, Plane(102, 76, 100.25, 75.25), Plane(104, 76, 100.25, 75.25)),
    Case(401, 301, (2, 2), 1 / 2, Plane(204, 152, 200.5, 150.5), Plane(208, 152, 200.5, 150.5)),
    Case(401, 301, (2, 2), 1, Plane(408, 304, 401, 301), Plane(208, 152, 200.5, 150.5)),
    Case(257, 255, (2, 2), 1 / 8, Plane(33, 32, 32.125, 31.875), Plane(34, 32, 32.125, 31.875)),
    Case(257, 255, (2, 2), 1, Plane(264, 256, 257, 255), Plane(136, 128, 128.5, 127.5)),
    Case(1, 1, (2, 2), 1 / 8, Plane(1, 1, 0.125, 0.125), Plane(2, 2, 0.125, 0.125)),
    Case(1, 1, (2, 2), 1, Plane(8, 8, 1, 1), Plane(8, 8, 0.5, 0.5)),
    Case(1, 5000, (2, 2), 1 / 8, Plane(1, 625, 0.125, 625), Plane(2, 626, 0.125, 625)),
    Case(5000, 1, (2, 2), 1 / 8, Plane(625, 1, 625, 0.125), Plane(626, 2, 625, 0.125)),
    Case(5000, 1, (2, 2), 1, Plane(5000, 8, 5000, 1), Plane(2504, 8, 2500, 0.5)),
    // 4:4:4
    Case(401, 301, (1, 1), 1 / 8, Plane(51, 38, 50.125, 37.625), Plane(51, 38, 50.125, 37.625)),
    Case(257, 255, (1, 1), 1 / 2, Plane(132, 128, 128.5, 127.5), Plane(132, 128, 128.5, 127.5)),
    // 4:2:2
    Case(401, 301, (2, 1), 1 / 8, Plane(51, 38, 50.125, 37.625), Plane(26, 38, 25.0625, 37.625)),
    Case(401, 301, (2, 1), 1, Plane(408, 304, 401, 301), Plane(208, 304, 200.5, 301)),
    // 4:4:0
    Case(401, 301, (1, 2), 1 / 4, Plane(102, 76, 100.25, 75.25), Plane(102, 38, 100.25, 37.625)),
    // 4:1:1
    Case(401, 301, (4, 1), 1 / 8, Plane(51, 38, 50.125, 37.625), Plane(13, 38, 12.53125, 37.625)),
    // 4:1:0
    Case(401, 301, (4, 2), 1 / 8, Plane(51, 38, 50.125, 37.625), Plane(26, 38, 25.0625, 37.625)),
  ]

  /// A level that differs from block to block and from component to component.
  static func level(_ component: Int, _ column: Int, _ row: Int) -> Int {
    (component * 71 + column * 13 + row * 29) % 256
  }

  @Test(arguments: cases)
  func planesAreExact(_ expected: Case) throws {
    let source = JPEGBytes.color(
      expected.size.width, expected.size.height, expected.horizontal, expected.vertical, level: Self.level)
    let decoded = try JPEGDecoding().decode(source.file, scale: expected.scale)
    let image = decoded.image
    #expect(decoded.flags == [])
    #expect(image.layout == .yCbCr)
    #expect(image.range == .full)
    #expect(image.alpha == .opaque)
    #expect(image.profile == .sRGB)
    #expect(image.size == expected.size)
    for (index, plane) in [expected.luma, expected.chroma, expected.chroma].enumerated() {
      let actual = image.planes[index]
      #expect(actual.size == PixelSize(width: plane.columns, height: plane.rows))
      #expect(actual.window == PixelRect(x: 0, y: 0, width: plane.width, height: plane.height))
      // All of a block's samples have its level, those outside the picture too.
      let blocks = source.blocks(of: index)
      let (across, down) = (plane.columns / blocks.columns, plane.rows / blocks.rows)
      let levels = (0..<plane.rows).map { y in
        (0..<plane.columns).map { x in Self.level(index, x / across, y / down) }
      }
      #expect(image.rows(ofPlane: index) == levels)
    }
  }

  @Test(
    "The smallest of 1/8, 1/4, 1/2 and 1 that is enough is taken",
    arguments: [
      (0.0, 8), (0.01, 8), (0.125, 8), (0.125 + 1e-15, 8), (0.126, 16), (0.25, 16), (0.26, 32), (0.375, 32), (0.5, 32),
      (0.51, 64), (1, 64),
    ])
  func scaleIsEnough(_ scale: Double, columns: Int) throws {
    let source = JPEGBytes.gray(64, 64) { _, _ in 128 }
    #expect(try JPEGDecoding().decode(source.file, scale: scale).image.planes[0].size.width == columns)
  }

  @Test("Grey has one plane, whatever its sampling factors", arguments: [(1, 1), (2, 2), (3, 1), (1, 4)])
  func gray(_ horizontal: Int, _ vertical: Int) throws {
    var source = JPEGBytes.gray(257, 255) { Self.level(0, $0, $1) }
    source.components[0].horizontal = horizontal
    source.components[0].vertical = vertical
    let image = try JPEGDecoding().decode(source.file, scale: 1 / 8).image
    #expect(image.layout == .gray)
    #expect(image.planes.map(\.size) == [PixelSize(width: 33, height: 32)])
    #expect(image.planes[0].window == PixelRect(x: 0, y: 0, width: 32.125, height: 31.875))
    #expect(image.rows(ofPlane: 0) == (0..<32).map { y in (0..<33).map { x in Self.level(0, x, y) } })
  }

  @Test("The order and number of scans changes nothing", arguments: [0.125, 0.25, 0.5, 1])
  func scans(_ scale: Double) throws {
    var source = JPEGBytes.color(123, 77, level: Self.level)
    let decoding = JPEGDecoding()
    let expected = try decoding.decode(source.file, scale: scale).image
    let separate = try decoding.decode(source.fileOfSeparateScans, scale: scale)
    let progressive = try decoding.decode(source.progressiveFile, scale: scale)
    source.restartInterval = 3
    let restarted = try decoding.decode(source.file, scale: scale)
    for other in [separate, progressive, restarted] {
      #expect(other.flags == [])
      #expect(other.image.planes == expected.planes)
      for plane in 0..<3 { #expect(other.image.rows(ofPlane: plane) == expected.rows(ofPlane: plane)) }
    }
  }

  @Test("A part that is wanted leaves the windows on the whole picture")
  func region() throws {
    let bytes = SharedBytes(JPEGBytes.color(401, 301, level: Self.level).file)
    let session = JPEGDecoder().makeSession()
    let probe = try session.probe(bytes, limits: Limits())
    let plan = DecodePlan(scale: 1 / 8, region: PixelRect(x: 100, y: 100, width: 50, height: 50))
    let image = try session.decode(
      bytes, probe: probe, plan: plan, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60))
    ).image
    for plane in image.planes {
      #expect(plane.window == PixelRect(x: 0, y: 0, width: 50.125, height: 37.625))
    }
  }

  @Test("Chroma that is denser than luma keeps its own size")
  func sparseLuma() throws {
    var source = JPEGBytes.color(100, 60, 1, 1, level: Self.level)
    source.components[1].horizontal = 2
    source.components[1].vertical = 2
    let image = try JPEGDecoding().decode(source.file).image
    // Luma has half of the samples: ⌈100/16⌉ = 7 and ⌈60/16⌉ = 4 blocks.
    #expect(image.planes[0].size == PixelSize(width: 56, height: 32))
    #expect(image.planes[0].window == PixelRect(x: 0, y: 0, width: 50, height: 30))
    #expect(image.planes[1].size == PixelSize(width: 104, height: 64))
    #expect(image.planes[1].window == PixelRect(x: 0, y: 0, width: 100, height: 60))
    #expect(image.sample(1, 103, 63) == Self.level(1, 12, 7))
    #expect(image.sample(0, 55, 31) == Self.level(0, 6, 3))
  }
}
