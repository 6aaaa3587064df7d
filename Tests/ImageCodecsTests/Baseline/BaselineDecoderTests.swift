import FetchPipeline
import Testing

@testable import ImageCodecs

@Suite("Baseline JPEG without libjpeg")
struct BaselineDecoderTests {
  typealias Factors = [(horizontal: Int, vertical: Int)]

  /// Grey, the usual samplings, and some that are rare.
  static let samplings: [Factors] = [
    [(1, 1)], [(2, 2)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)],
    [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(4, 2), (1, 1), (1, 1)], [(2, 2), (1, 2), (1, 2)],
    [(2, 2), (2, 1), (2, 1)], [(1, 1), (2, 2), (1, 1)], [(3, 1), (1, 1), (1, 1)], [(1, 4), (1, 2), (1, 1)],
  ]

  static let scales = [0.125, 0.25, 0.5]

  private static func source(_ width: Int, _ height: Int, _ sampling: Int, seed: Int) -> CoefficientJPEG {
    var source = CoefficientJPEG(
      width: width, height: height, factors: samplings[sampling], block: CoefficientJPEG.photographic(seed))
    source.codes = seed % 2 == 0 ? .even : .skewed
    return source
  }

  /// The samples of a plane by the reference, rounded nowhere.
  private static func expected(_ source: CoefficientJPEG, _ component: Int, _ plane: PixelPlane) -> [Double] {
    let (columns, rows) = source.blocks(of: component)
    let side = plane.size.width / columns
    var samples = [Double](repeating: -1, count: plane.size.width * plane.size.height)
    for row in 0..<rows {
      for column in 0..<columns {
        let values = zip(source.block(component, column, row), source.quantizers).map { $0 * $1 }
        for (index, sample) in ReferenceTransform.samples(values, side: side).enumerated() {
          let (x, y) = (column * side + index % side, row * side + index / side)
          samples[y * plane.size.width + x] = sample
        }
      }
    }
    return samples
  }

  @Test("Samples are those of the transform in floating point, rounded", arguments: samplings.indices, scales)
  func samplesAreExact(_ sampling: Int, _ scale: Double) throws {
    let comparison = BaselineComparison()
    for (number, (width, height)) in [(1, 1), (7, 33), (40, 17), (61, 50)].enumerated() {
      var source = Self.source(width, height, sampling, seed: number + sampling)
      source.quantizers = (0..<64).map { 1 + ($0 * 7 + number) % 5 }
      let image = try comparison.decode(source.file, scale: scale).image
      #expect(comparison.wasAccelerated)
      for component in image.planes.indices {
        let expected = Self.expected(source, component, image.planes[component])
        let differences = zip(image.samples(ofPlane: component), expected).map { abs(Double($0) - $1) }
        // Factors of 13 bits, and at side 8 a rounding between the passes, may turn the last rounding.
        #expect((differences.max() ?? 1) < 0.6, "\(width)×\(height), component \(component)")
      }
    }
  }

  @Test("All sizes and samplings come out as libjpeg's planes do", arguments: samplings.indices, scales)
  func sizes(_ sampling: Int, _ scale: Double) throws {
    let comparison = BaselineComparison()
    for side in 1...40 {
      var source = Self.source(side, (side * 23) % 41 + 1, sampling, seed: side)
      source.restartInterval = [0, 1, 2, 3, 7][side % 5]
      // Flat blocks have the same samples by every transform.
      let photographic = source.block
      source.block = { component, column, row in
        [photographic(component, column, row)[0]] + [Int](repeating: 0, count: 63)
      }
      let (own, plain) = try comparison.outcomes(source.file, scale: scale)
      #expect(comparison.wasAccelerated, "\(side)")
      #expect(own == plain, "\(side)")
    }
  }

  /// A block of side 8 rounds where libjpeg does. One of side 1 is the DC value alone in both.
  @Test("Where the transform is libjpeg's, so are the samples", arguments: samplings.indices, scales)
  func equalSides(_ sampling: Int, _ scale: Double) throws {
    let comparison = BaselineComparison()
    for (width, height) in [(150, 90), (301, 129)] {
      for seed in 0..<2 {
        var source = Self.source(width, height, sampling, seed: seed)
        source.restartInterval = seed * 5
        let own = try comparison.decode(source.file, scale: scale).image
        #expect(comparison.wasAccelerated)
        let plain = try comparison.decodePlainly(source.file, scale: scale).image
        for component in own.planes.indices {
          let side = own.planes[component].size.width / source.blocks(of: component).columns
          guard side == 1 || side == 8 else { continue }
          #expect(own.samples(ofPlane: component) == plain.samples(ofPlane: component), "component \(component)")
        }
      }
    }
  }

  @Test("Of photographs, all scales are near to libjpeg's means of areas", arguments: scales, [30, 75, 95])
  func photographs(_ scale: Double, _ quality: Int) throws {
    let comparison = BaselineComparison()
    for subsampling in JPEGSubsampling.allCases {
      var encoder = JPEGEncoder()
      encoder.quality = quality
      encoder.subsampling = subsampling
      let file = try encoder.makeSession().encode(Self.scene(320, 200), checkpoint: .relaxed).array()
      let own = try comparison.decode(file, scale: scale).image
      #expect(comparison.wasAccelerated)
      let plain = try comparison.decodePlainly(file, scale: scale).image
      #expect(own.planes == plain.planes)
      for plane in own.planes.indices {
        let differences = zip(own.samples(ofPlane: plane), plain.samples(ofPlane: plane)).map { abs($0 - $1) }
        let mean = Double(differences.reduce(0, +)) / Double(differences.count)
        // Waves are up to a tenth weaker in a mean, and these are some dozens of levels high at edges only.
        #expect(mean < 1.5, "plane \(plane): \(mean)")
      }
    }
  }

  /// Slopes, edges and some grain.
  private static func scene(_ width: Int, _ height: Int) throws -> PixelImage {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: width, height: height))
    let plane = image.planes[0]
    var random = SeededBytes(3)
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let isDisc = (x - 150) * (x - 150) + (y - 90) * (y - 90) < 3600
          for channel in 0..<3 {
            let level = isDisc ? 200 - channel * 60 : 40 + x * 120 / width + y * 60 / height
            bytes[y * plane.bytesPerRow + x * 3 + channel] = UInt8(level + random.next(below: 9))
          }
        }
      }
    }
    return image
  }

  @Test("Quantisers of 16 bits, and all of the extended sequential process with 8 bits")
  func extended() throws {
    let comparison = BaselineComparison()
    var source = Self.source(50, 40, 4, seed: 1)
    source.isExtended = true
    source.quantizers = (0..<64).map { $0 == 60 ? 300 : 2 }
    let image = try comparison.decode(source.file, scale: 0.25).image
    #expect(comparison.wasAccelerated)
    let expected = Self.expected(source, 0, image.planes[0])
    #expect(zip(image.samples(ofPlane: 0), expected).allSatisfy { abs(Double($0) - $1) < 0.6 })
  }

  @Test("A file that is much larger than the window of coded data", arguments: scales)
  func largeFile(_ scale: Double) throws {
    let comparison = BaselineComparison()
    var source = CoefficientJPEG(width: 400, height: 300, factors: Self.samplings[4]) { component, column, row in
      var random = SeededBytes(UInt64(component * 65_536 + column * 256 + row))
      // The bits of −1 are zeros, those of 1023 are ones: with codes of one length, many bytes are 0xff.
      return (0..<64).map { _ in [1023, 1023, -1, 511][random.next(below: 4)] }
    }
    source.codes = .skewed
    let file = source.file
    #expect(file.count > 200_000)
    let image = try comparison.decode(file, scale: scale).image
    #expect(comparison.wasAccelerated)
    let expected = Self.expected(source, 0, image.planes[0])
    #expect(zip(image.samples(ofPlane: 0), expected).allSatisfy { abs(Double($0) - $1) < 0.6 })
  }

  @Test("A session keeps tables from picture to picture, and takes the right ones")
  func tables() throws {
    let session = BaselineComparison()
    let files = (0..<6).map { seed in Self.source(60, 40, 4, seed: seed).file }
    let first = try files.map { try session.decode($0, scale: 0.5).image.samples() }
    for (file, expected) in zip(files, first).reversed() {
      #expect(try session.decode(file, scale: 0.5).image.samples() == expected)
      #expect(try BaselineComparison().decode(file, scale: 0.5).image.samples() == expected)
    }
  }

  @Test("Full size is left to libjpeg, which is faster there")
  func fullSize() throws {
    let comparison = BaselineComparison()
    let (own, plain) = try comparison.outcomes(Self.source(60, 40, 4, seed: 1).file, scale: 1)
    #expect(own == plain)
    #expect(!comparison.wasAccelerated)
  }

  @Test("Orientation, profile and the window of the whole picture are as without it")
  func metadata() throws {
    let comparison = BaselineComparison()
    var source = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
    let tiff: [UInt8] = [
      0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
    ]
    source.segments =
      JPEGBytes.segment(0xe1, Array("Exif\0\0".utf8) + tiff)
      + JPEGBytes.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 5, count: 200))
      + JPEGBytes.segment(0xfe, Array("a comment".utf8))
    let own = try comparison.decode(source.file, scale: 0.25)
    #expect(comparison.wasAccelerated)
    let plain = try comparison.decodePlainly(source.file, scale: 0.25)
    #expect(own.image.orientation == plain.image.orientation)
    #expect(own.image.orientation != .up)
    #expect(own.image.profile == plain.image.profile)
    #expect(own.image.profile != .sRGB)
    #expect(own.image.planes == plain.image.planes)
    #expect(own.flags == plain.flags)
  }

  @Test("What is odd in the headers and harmless is told of all the same")
  func harmlessFlaws() throws {
    let comparison = BaselineComparison()
    var source = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
    // A transform that Adobe has not defined: YCbCr is assumed.
    source.segments = JPEGBytes.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 5])
    let (own, plain) = try comparison.outcomes(source.file, scale: 0.25)
    #expect(comparison.wasAccelerated)
    #expect(own == plain)
    guard case .decoded(let flags, nil, _, _) = own else { throw DecoderDeclined("\(own)") }
    #expect(flags == [.tolerated])
  }

  @Test("Whatever stands behind the end is not looked at", arguments: [[], [0], [0xff, 0xd8, 0xff], [1, 2, 3]])
  func trailingBytes(_ rest: [UInt8]) throws {
    let comparison = BaselineComparison()
    let (own, plain) = try comparison.outcomes(
      JPEGBytes.color(40, 24).file + rest, scale: 0.5)
    #expect(comparison.wasAccelerated)
    #expect(own == plain)
  }

  @Test("The checkpoint stops it, and is asked every few thousand blocks")
  func checkpoint() throws {
    let bytes = SharedBytes(JPEGBytes.color(1600, 1600).file)
    let session = JPEGDecoderSession()
    let probe = try session.probe(bytes, limits: Limits())
    let asked = Lock(0)
    _ = try session.decode(
      bytes, probe: probe, plan: DecodePlan(scale: 0.25),
      checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) {
        asked.withLock { $0 += 1 }
        return false
      })
    #expect(session.wasAccelerated)
    // There are 60,000 blocks.
    #expect(asked.withLock { $0 } >= 12)
    #expect(throws: CancellationError.self) {
      try session.decode(
        bytes, probe: probe, plan: DecodePlan(scale: 0.25),
        checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) {
          asked.withLock {
            $0 += 1; return $0 % 9 == 0
          }
        })
    }
    #expect(throws: PipelineError.self) {
      try session.decode(
        bytes, probe: probe, plan: DecodePlan(scale: 0.25), checkpoint: DecodeCheckpoint(cpuTime: .zero))
    }
  }
}
