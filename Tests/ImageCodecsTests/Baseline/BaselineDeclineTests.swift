import FetchPipeline
import Testing

@testable import ImageCodecs

/// What is irregular is libjpeg's: the result is the one that it has alone, whether that is a picture or an error.
@Suite("Irregular JPEGs are left to libjpeg")
struct BaselineDeclineTests {
  private static var color: JPEGBytes { JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 } }
  private static var source: CoefficientJPEG {
    var source = CoefficientJPEG(
      width: 70, height: 50, factors: [(2, 2), (1, 1), (1, 1)], block: CoefficientJPEG.photographic(4))
    source.restartInterval = 2
    return source
  }

  /// A file with `bytes` in the place of the only occurrence of `old`.
  private static func replacing(_ old: [UInt8], _ bytes: [UInt8], in file: [UInt8]) -> [UInt8] {
    guard let at = file.indices.first(where: { file[$0...].starts(with: old) }) else { fatalError("no such bytes") }
    return Array(file[..<at]) + bytes + file[(at + old.count)...]
  }

  static let irregular: [(name: String, file: [UInt8])] = {
    let (color, source) = (Self.color, Self.source)
    var ahead = color
    ahead.segments = JPEGBytes.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    var precise = color
    precise.precision = 12
    var arithmetic = color
    arithmetic.frame = 0xc9
    let scan = color.scan([0, 1, 2])
    let header = color.scanHeader([0, 1, 2])
    var spectrum = header
    spectrum[spectrum.count - 2] = 0
    var short = color
    short.height = 0
    let restarted = source.file
    let swapped = replacing([0xff, 0xd1], [0xff, 0xd3], in: restarted)
    let withoutQuantizers = replacing(color.quantizers, [], in: color.file)
    let withoutCodes = replacing(JPEGBytes.codes, [], in: color.file)
    // Codes that the lengths have no room for.
    let crowd = JPEGBytes.segment(0xc4, [0, 3] + [UInt8](repeating: 0, count: 15) + [0, 1, 2])
    let crowded = replacing(JPEGBytes.codes, JPEGBytes.codes + crowd, in: color.file)
    return [
      ("progressive", color.progressiveFile), ("several scans", color.fileOfSeparateScans),
      ("Adobe's RGB", ahead.file), ("CMYK", JPEGBytes.flat(40, 24, ids: [1, 2, 3, 4], levels: [9, 8, 7, 6]).file),
      ("RGB by its names", JPEGBytes.flat(40, 24, ids: [0x52, 0x47, 0x42], levels: [9, 8, 7]).file),
      ("12 bits", precise.file), ("arithmetic coding", arithmetic.file), ("no height", short.file),
      ("no quantisers", withoutQuantizers), ("no codes", withoutCodes), ("too many codes", crowded),
      ("wrong spectrum", color.head + spectrum + scan.dropFirst(header.count) + JPEGBytes.end),
      ("a scan too many", color.head + scan + scan + JPEGBytes.end),
      ("bytes behind the scan", color.head + scan + [0, 7, 7] + JPEGBytes.end),
      ("fill bytes before the end", color.head + scan + [0xff, 0xff] + JPEGBytes.end),
      ("bytes between segments", JPEGBytes.start + [0, 1, 2] + color.file.dropFirst(2)),
      ("a height behind the scan", color.head + scan + JPEGBytes.segment(0xdc, [0, 24]) + JPEGBytes.end),
      ("no end", color.head + scan), ("half an end", color.head + scan + [0xff]),
      ("short data", color.head + scan.dropLast(3) + JPEGBytes.end),
      ("restarts in disorder", swapped),
      ("a restart that is missing", replacing([0xff, 0xd1], [], in: restarted)),
      ("a restart too many", replacing([0xff, 0xd1], [0xff, 0xd1, 0xff, 0xd2], in: restarted)),
      ("restarts without an interval", replacing(JPEGBytes.segment(0xdd, [0, 2]), [], in: restarted)),
      ("a code that does not exist", color.head + header + [UInt8](repeating: 0xf5, count: 100) + JPEGBytes.end),
    ]
  }()

  @Test(arguments: irregular.indices)
  func irregularFilesAreLibjpegs(_ index: Int) throws {
    let (name, file) = Self.irregular[index]
    let comparison = BaselineComparison()
    for scale in BaselineDecoderTests.scales {
      for policy in DamagePolicy.allCases {
        let (own, plain) = try comparison.outcomes(file, scale: scale, onDamage: policy)
        #expect(own == plain, "\(name) at \(scale)")
        #expect(!comparison.wasAccelerated, "\(name) at \(scale)")
      }
    }
  }

  @Test("Every beginning of a file ends as without the own decoder")
  func truncated() throws {
    let comparison = BaselineComparison()
    for file in [Self.source.file, Self.color.file] {
      for count in 0..<file.count {
        let cut = Array(file.prefix(count))
        let (own, plain) = try comparison.outcomes(cut, scale: 0.25, onDamage: .salvage)
        #expect(own == plain, "\(count) of \(file.count)")
        #expect(!comparison.wasAccelerated)
        let (rejecting, plainlyRejecting) = try comparison.outcomes(cut, scale: 0.5)
        #expect(rejecting == plainlyRejecting, "\(count) of \(file.count)")
      }
    }
  }

  @Test("Mutated files end with a picture of the right size, or as without the own decoder")
  func mutations() throws {
    let comparison = BaselineComparison()
    var random = SeededBytes(7)
    var small = Self.source
    (small.width, small.height) = (33, 20)
    var other = small
    other.codes = .skewed
    other.restartInterval = 0
    var gray = small
    gray.factors = [(1, 1)]
    let files = [small, other, gray].map(\.file)
    let scanStart = files.indices.map { [small, other, gray][$0].head.count }
    var served = 0
    for number in 0..<3000 {
      var file = files[number % 3]
      let coded = scanStart[number % 3]..<file.count
      for _ in 0...random.next(below: 3) {
        switch random.next(below: 4) {
        case 0: file[random.next(below: file.count)] = random.next()
        case 1: file[random.next(below: min(file.count, 40))] ^= 1 << UInt8(random.next(below: 8))
        default: file[coded.lowerBound + random.next(below: coded.count)] ^= 1 << UInt8(random.next(below: 8))
        }
      }
      let scale = BaselineDecoderTests.scales[number / 3 % 3]
      let (own, plain) = try comparison.outcomes(file, scale: scale)
      guard comparison.wasAccelerated else {
        #expect(own == plain, "mutation \(number)")
        continue
      }
      served += 1
      guard case .decoded(let flags, nil, let planes, let layout) = own else {
        Issue.record("mutation \(number): \(own)")
        continue
      }
      #expect(zip(planes, layout).allSatisfy { $0.count == $1.size.width * $1.size.height })
      // Nothing that libjpeg finds fault with is let through.
      guard case .decoded(let plainFlags, nil, let plainPlanes, let plainLayout) = plain else {
        Issue.record("mutation \(number): \(plain)")
        continue
      }
      #expect(layout == plainLayout)
      #expect(flags == plainFlags)
      // At an eighth a sample of luma is a DC value, whose place depends on all that stands before. (Where it is out of
      // range, libjpeg's may be anything.)
      guard scale == 0.125 else { continue }
      #expect(zip(planes[0], plainPlanes[0]).allSatisfy { $0 == $1 || $0 == 0 || $0 == 255 }, "mutation \(number)")
    }
    #expect(served > 100)
  }
}
