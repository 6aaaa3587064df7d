import FetchPipeline
import Foundation
import Testing

@testable import ImageCodecs

@Suite("Scans of progressive JPEGs that a scale does not need are left out")
struct ProgressiveScanTests {
  /// What libjpeg and most others write: DC with one bit left out, AC in bands, then bit after bit.
  static let usual: [ProgressiveScan] = [
    scan([0, 1, 2], 0...0, 0, 1), scan([0], 1...5, 0, 2), scan([2], 1...63, 0, 1), scan([1], 1...63, 0, 1),
    scan([0], 6...63, 0, 2), scan([0], 1...63, 2, 1), scan([0, 1, 2], 0...0, 1, 0), scan([2], 1...63, 1, 0),
    scan([1], 1...63, 1, 0), scan([0], 1...63, 1, 0),
  ]

  static func scan(_ components: [Int], _ spectrum: ClosedRange<Int>, _ high: Int, _ low: Int) -> ProgressiveScan {
    ProgressiveScan(range: 0..<0, components: components, spectrum: spectrum, high: high, low: low)
  }

  static func kept(_ scans: [ProgressiveScan], _ sides: [Int], quantizer: Int) -> [Int] {
    ScanSelection(
      scans,
      components: sides.map {
        ScanSelection.Component(blockSide: $0, quantizer: [99] + Array(repeating: quantizer, count: 63))
      }
    ).kept
  }

  @Test(
    "By the samples of a block's side, and by the quantiser",
    arguments: [
      ([8, 8, 8], 1, Array(0...9)), ([3, 8, 8], 1, Array(0...9)), ([1, 1, 1], 1, [0, 6]), ([1, 1, 1], 0, [0, 6]),
      ([1, 1, 1], 99, [0, 6]),
      // Each bit is worth it; all but the last; none.
      ([4, 8, 8], 13, Array(0...9)), ([4, 8, 8], 12, Array(0...8)), ([4, 8, 8], 6, Array(0...4) + Array(6...8)),
      ([4, 4, 4], 13, Array(0...9)), ([4, 4, 4], 12, Array(0...6)), ([4, 4, 4], 6, [0, 1, 2, 3, 4, 6]),
      // A bit that is added to all coefficients needs all of them, though the transform does not.
      ([2, 4, 4], 12, Array(0...6)), ([2, 4, 4], 6, [0, 1, 2, 3, 6]), ([1, 2, 2], 12, [0, 2, 3, 6]),
    ] as [([Int], Int, [Int])])
  func selection(_ sides: [Int], _ quantizer: Int, _ kept: [Int]) {
    #expect(Self.kept(Self.usual, sides, quantizer: quantizer) == kept)
  }

  @Test("A bit is only added to what is there, and the scan whose header has been read already stays")
  func order() {
    let split = [
      Self.scan([0], 1...2, 0, 2), Self.scan([0], 0...0, 0, 0), Self.scan([0], 3...9, 0, 2),
      Self.scan([0], 10...63, 0, 2), Self.scan([0], 1...9, 2, 1), Self.scan([0], 3...12, 2, 1),
    ]
    #expect(Self.kept(split, [1], quantizer: 12) == [0, 1])
    #expect(Self.kept(split, [2], quantizer: 6) == [0, 1, 2])
    #expect(Self.kept(split, [2], quantizer: 12) == [0, 1, 2, 3, 4, 5])
    // Bands that touch nothing that counts are left out.
    let apart = split.dropLast() + [Self.scan([0], 10...63, 2, 1)]
    #expect(Self.kept(Array(apart), [2], quantizer: 12) == [0, 1, 2, 4])
    // A component that the frame does not have is for libjpeg to judge.
    #expect(Self.kept([split[1], Self.scan([3], 10...63, 0, 0)], [1], quantizer: 1) == [0, 1])
  }

  static func file(_ layout: PixelLayout, _ width: Int, _ height: Int) throws -> [UInt8] {
    var image = try PixelImage(layout: layout, size: PixelSize(width: width, height: height))
    for plane in image.planes.indices {
      let (stride, size, channels) = (image.planes[plane].bytesPerRow, image.planes[plane].size, layout.channels)
      try image.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        for y in 0..<size.height {
          for x in 0..<(size.width * channels) {
            // Waves of many lengths, and a little grain.
            let (u, v) = (Double(x / channels), Double(y))
            let wave = 50 * sin(u / 31 + v / 57) + 25 * sin(u / 7 - v / 11) + 12 * sin(u * v / 900)
            bytes[y * stride + x] = UInt8(120 + wave + Double((x * 7 + y * 13 + x * y) % 9))
          }
        }
      }
    }
    let encoder = JPEGEncoder(quality: 94, isProgressive: true, subsampling: .none)
    return try encoder.makeSession().encode(image, checkpoint: .relaxed).array()
  }

  func parse(_ file: [UInt8], limit: Int = 100) throws -> ProgressiveFile {
    try file.withUnsafeBytes { try ProgressiveFile($0, scanLimit: limit) }
  }

  @Test("Scans are found without decoding")
  func parsing() throws {
    let file = try Self.file(.rgb, 90, 70)
    let parsed = try parse(file + [1, 2, 3])
    #expect(parsed.end == file.count)
    #expect(parsed.scans.map(\.spectrum) == Self.usual.map(\.spectrum))
    #expect(parsed.scans.map(\.components) == Self.usual.map(\.components))
    #expect(parsed.scans.map { [$0.high, $0.low] } == Self.usual.map { [$0.high, $0.low] })
    for (scan, next) in zip(parsed.scans, parsed.scans.dropFirst()) {
      #expect(file[scan.range.lowerBound] == 0xff && file[scan.range.lowerBound + 1] == 0xda)
      #expect(scan.range.upperBound <= next.range.lowerBound)
    }
    let parts = parsed.parts(keeping: [0, 1, 9])
    #expect(parts.first?.lowerBound == parsed.scans[0].range.lowerBound + 2 + 12)
    #expect(parts.last?.upperBound == file.count)
    let leftOut = parsed.scans[2...8].reduce(0) { $0 + $1.range.count }
    #expect(parts.reduce(0) { $0 + $1.count } == file.count - leftOut - (parts.first?.lowerBound ?? 0))
    #expect(try parse(file, limit: 4).scans.count == 5)
    // Annex K's tables at quality 94, which is 12 % of them.
    #expect(parsed.quantizersOfComponents?.map { Array($0.prefix(3)) } == [[2, 1, 1], [2, 2, 2], [2, 2, 2]])
  }

  @Test("What is cut off or irregular is declined")
  func irregular() throws {
    let file = try Self.file(.gray, 40, 40)
    for count in 0..<file.count {
      #expect(throws: DecoderDeclined.self, "\(count) bytes") { try parse(Array(file.prefix(count))) }
    }
    let scans = try parse(file).scans
    let header = scans[1].range.lowerBound
    for (offset, value) in [(4, 2), (5, 9), (7, 64), (8, 0), (9, 0x31), (0, 0), (3, 9)] as [(Int, UInt8)] {
      var broken = file
      broken[header + offset] = value
      #expect(throws: DecoderDeclined.self, "\(offset)") { try parse(broken) }
    }
    for inserted in [[0xff], [0xff, 0xdc, 0, 4, 0, 1], [7]] as [[UInt8]] {
      var broken = file
      broken.insert(contentsOf: inserted, at: header)
      if inserted == [7] { broken.insert(0x12, at: 2) }
      #expect(throws: DecoderDeclined.self) { try parse(broken) }
    }
    #expect(throws: DecoderDeclined.self) { try parse(JPEGBytes.color(16, 16).file) }
  }

  func decode(
    _ file: [UInt8], _ scale: Double, _ session: JPEGDecoderSession, _ policy: DamagePolicy = .reject
  ) throws
    -> DecodedImage
  {
    let bytes = SharedBytes(file)
    let plan = DecodePlan(scale: scale, onDamage: policy)
    return try session.decode(
      bytes, probe: try session.probe(bytes, limits: plan.limits), plan: plan, checkpoint: .relaxed)
  }

  @Test("Where only DC values count, nothing changes", arguments: [(40, 40), (137, 59), (8, 300)])
  func exactness(_ width: Int, _ height: Int) throws {
    let (session, plain) = (JPEGDecoderSession(), JPEGDecoderSession(isAccelerated: false))
    let file = try Self.file(.gray, width, height)
    let (one, other) = (try decode(file, 0.125, session), try decode(file, 0.125, plain))
    #expect(session.scansLeftOut == 4 && plain.scansLeftOut == 0)
    #expect(one.image.samples(ofPlane: 0) == other.image.samples(ofPlane: 0))
    #expect(one.flags == other.flags && one.damage == nil)
  }

  @Test("A last bit that is left out is hardly seen", arguments: [PixelLayout.gray, .rgb], [0.125, 0.25, 0.5])
  func closeness(_ layout: PixelLayout, _ scale: Double) throws {
    let (session, plain) = (JPEGDecoderSession(), JPEGDecoderSession(isAccelerated: false))
    let file = try Self.file(layout, 320, 240)
    let (one, other) = (try decode(file, scale, session).image, try decode(file, scale, plain).image)
    #expect(session.scansLeftOut > 0)
    #expect(one.planes == other.planes)
    for plane in one.planes.indices {
      let differences = zip(one.samples(ofPlane: plane), other.samples(ofPlane: plane)).map { abs($0 - $1) }
      #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 1.5)
      #expect(differences.max() ?? 0 <= 8)
    }
    _ = try decode(file, 1, session)
    #expect(session.scansLeftOut == 0)
  }

  @Test("Damage in what is left out is not judged; elsewhere the whole file is")
  func damage() throws {
    let (session, plain) = (JPEGDecoderSession(), JPEGDecoderSession(isAccelerated: false))
    let file = try Self.file(.gray, 200, 200)
    let scans = try parse(file).scans
    func broken(_ scan: ProgressiveScan) -> [UInt8] {
      var broken = file
      for at in (scan.range.lowerBound + 14)..<scan.range.upperBound where broken[at] != 0xff && broken[at - 1] != 0xff
      {
        broken[at] = 0x7e
      }
      return broken
    }
    let leftOut = try #require(scans.last)
    #expect(try decode(broken(leftOut), 0.125, session).damage == nil)
    #expect(session.scansLeftOut == 4)
    for policy in [DamagePolicy.reject, .salvage] {
      for scale in [0.125, 0.5] {
        let one = Result { try decode(broken(scans[0]), scale, session, policy) }
        let other = Result { try decode(broken(scans[0]), scale, plain, policy) }
        #expect(Self.code(one) == Self.code(other), "\(policy) \(scale)")
        #expect(Self.code(one) != nil && session.scansLeftOut == 0)
      }
    }
  }

  @Test("Cut files end as they would without it", arguments: [DamagePolicy.reject, .salvage])
  func cuts(_ policy: DamagePolicy) throws {
    let (session, plain) = (JPEGDecoderSession(), JPEGDecoderSession(isAccelerated: false))
    let file = try Self.file(.rgb, 60, 44)
    for count in stride(from: 300, to: file.count, by: 17) {
      let cut = Array(file.prefix(count))
      let one = Result { try decode(cut, 0.125, session, policy) }
      let other = Result { try decode(cut, 0.125, plain, policy) }
      #expect(Self.code(one) == Self.code(other), "\(count) bytes")
      if case .success(let left) = one, case .success(let right) = other {
        #expect(left.flags == right.flags && left.image.samples(ofPlane: 0) == right.image.samples(ofPlane: 0))
      }
    }
  }

  private static func code(_ result: Result<DecodedImage, any Error>) -> PipelineError.Code? {
    switch result {
    case .success(let decoded): decoded.damage?.code
    case .failure(let error): (error as? PipelineError)?.code
    }
  }

  @Test("Scans that are left out count towards the limit")
  func limits() throws {
    let decoding = JPEGDecoding()
    let file = try Self.file(.rgb, 64, 64)
    var limits = Limits()
    limits.scans = 10
    _ = try decoding.decode(file, scale: 0.125, limits: limits)
    limits.scans = 9
    #expect { try decoding.decode(file, scale: 0.125, limits: limits) } throws: {
      ($0 as? PipelineError)?.code == .tooManyScans
    }
  }
}
