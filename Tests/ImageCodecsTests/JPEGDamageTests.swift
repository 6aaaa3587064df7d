import FetchPipeline
import ImageCodecs
import Testing

@Suite("Damaged JPEG")
struct JPEGDamageTests {
  private let decoding = JPEGDecoding()
  private let color = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }

  @Test("Every beginning of a file is truncated, but for one that lacks only the marker of its end")
  func allPrefixes() throws {
    var restarted = color
    restarted.restartInterval = 2
    for file in [color.file, restarted.file, color.fileOfSeparateScans, color.progressiveFile] {
      for count in 3..<file.count - 2 {
        #expect(decoding.failure(Array(file.prefix(count))) == .truncated, "\(count) of \(file.count)")
      }
      for count in [file.count - 2, file.count - 1] {
        let decoded = try decoding.decode(Array(file.prefix(count)))
        #expect(decoded.flags == [.tolerated])
        #expect(decoded.image.sample(0, 39, 23) == (4 * 17 + 2 * 31) % 256)
      }
    }
  }

  @Test("A file without bytes is truncated")
  func empty() {
    #expect(decoding.failure([]) == .truncated)
    #expect(decoding.failure([0xff]) == .truncated)
    #expect(decoding.failure(JPEGBytes.start) == .truncated)
  }

  @Test(
    "Whole files have no flag, with anything behind their end", arguments: [[], [0], [0xff, 0xd8, 0xff], [1, 2, 3]])
  func trailingBytes(_ rest: [UInt8]) throws {
    for file in [color.file, color.progressiveFile] {
      #expect(try decoding.decode(file + rest).flags == [])
    }
  }

  @Test("Bytes in front of the start are not taken for a JPEG")
  func leadingBytes() {
    #expect(JPEGDecoder().matches(SharedBytes(color.file)))
    #expect(!JPEGDecoder().matches(SharedBytes([0] + color.file)))
    #expect(!JPEGDecoder().matches(SharedBytes([0x0d, 0x0a] + color.file)))
    #expect(!JPEGDecoder().matches(SharedBytes(JPEGBytes.start)))
    #expect(decoding.failure([0] + color.file) == .corrupt)
  }

  @Test("Bytes between segments cost nothing")
  func straySegments() throws {
    let scan = color.scan([0, 1, 2])
    for file in [
      JPEGBytes.start + [0, 1, 2] + color.file.dropFirst(2), color.head + scan + [0, 7, 7] + JPEGBytes.end,
      color.head + [9] + scan + JPEGBytes.end, color.head + scan + Array(repeating: 0xff, count: 5) + JPEGBytes.end,
    ] {
      let decoded = try decoding.decode(file)
      #expect(decoded.flags.isSubset(of: [.tolerated]))
      #expect(decoded.image.sample(0, 39, 23) == (4 * 17 + 2 * 31) % 256)
    }
    #expect(try decoding.decode(color.head + scan + [0, 7, 7] + JPEGBytes.end).flags == [.tolerated])
  }

  @Test("Wrong spectral numbers in the scan header of a sequential file cost nothing")
  func scanParameters() throws {
    let scan = color.scan([0, 1, 2])
    var header = color.scanHeader([0, 1, 2])
    header[header.count - 2] = 0
    let decoded = try decoding.decode(
      color.head + header + scan.dropFirst(header.count) + JPEGBytes.end)
    #expect(decoded.flags == [.tolerated])
    #expect(decoded.image.sample(0, 39, 23) == (4 * 17 + 2 * 31) % 256)
  }

  @Test("A second scan behind one of all components costs nothing")
  func scanTooMany() throws {
    let scan = color.scan([0, 1, 2])
    #expect(try decoding.decode(color.head + scan + scan + JPEGBytes.end).flags == [.tolerated])
  }

  @Test("Data that ends before its blocks, with a marker behind it, is corrupt")
  func shortScan() {
    let scan = color.scan([0, 1, 2])
    #expect(decoding.failure(color.head + scan.dropLast(3) + JPEGBytes.end) == .corrupt)
    let (head, scans) = (color.progressiveHead, color.progressiveScans)
    #expect(decoding.failure(head + scans[0].dropLast(3) + scans[1...].flatMap { $0 } + JPEGBytes.end) == .corrupt)
  }

  @Test("A code that does not exist is corrupt")
  func badCode() {
    let header = color.scanHeader([0, 1, 2])
    // No DC code begins with 1111.
    let data = [UInt8](repeating: 0xf5, count: 100)
    #expect(decoding.failure(color.head + header + data + JPEGBytes.end) == .corrupt)
  }

  @Test("A restart marker out of its order is corrupt")
  func badRestart() throws {
    var source = color
    source.restartInterval = 1
    var file = source.file
    let at = try #require(file.indices.first { file[$0] == 0xff && file[$0 + 1] == 0xd1 })
    file[at + 1] = 0xd5
    #expect(decoding.failure(file) == .corrupt)
  }

  @Test("A component without a scan is corrupt, and truncated where the file ends early")
  func missingComponent() {
    let scans = color.scan([0]) + color.scan([1])
    #expect(decoding.failure(color.head + scans + JPEGBytes.end) == .corrupt)
    #expect(decoding.failure(color.head + scans) == .truncated)
    let progressive = color.progressiveHead + color.scan([0], spectrum: 0...0) + color.scan([0], spectrum: 1...63)
    #expect(decoding.failure(progressive + JPEGBytes.end) == .corrupt)
    #expect(decoding.failure(progressive) == .truncated)
  }

  @Test("A progressive file that was made without its last scans is whole")
  func coarse() throws {
    let file = color.progressiveHead + color.progressiveScans[0] + JPEGBytes.end
    let decoded = try decoding.decode(file)
    #expect(decoded.flags == [])
    #expect(decoded.image.sample(0, 39, 23) == (4 * 17 + 2 * 31) % 256)
  }

  @Test("Tables of one picture do not serve the next")
  func tablesDoNotStay() throws {
    let file = color.file
    let quantizers = color.quantizers
    let at = try #require(file.indices.first { file[$0...].starts(with: quantizers) })
    let withoutQuantizers = Array(file[..<at] + file[(at + quantizers.count)...])
    let codesAt = try #require(file.indices.first { file[$0...].starts(with: JPEGBytes.codes) })
    // The library has codes of its own for files without any, with which these data make no sense.
    let withoutCodes = Array(file[..<codesAt] + file[(codesAt + JPEGBytes.codes.count)...])
    for broken in [withoutQuantizers, withoutCodes] {
      let reused = JPEGDecoding()
      #expect(reused.failure(file) == nil)
      let failure = reused.failure(broken)
      #expect(failure == JPEGDecoding().failure(broken))
      #expect(failure == .corrupt)
    }
  }

  @Test("A session goes on after every kind of failure")
  func sessionSurvives() throws {
    for broken in [Array(color.file.prefix(50)), Array(color.file.dropLast(9)), [0xff, 0xd8, 0xff, 0xc3, 0, 2], []] {
      #expect(decoding.failure(broken) != nil)
      #expect(try decoding.decode(color.file).flags == [])
    }
  }

  @Test("Changed bytes give a picture or an error, never anything else")
  func mutations() {
    var random = SeededBytes(11)
    var restarted = color
    restarted.restartInterval = 2
    var results: [PipelineError.Code?: Int] = [:]
    for file in [color.file, restarted.file, color.fileOfSeparateScans, color.progressiveFile] {
      for _ in 0..<400 {
        var bytes = file
        for _ in 0...random.next(below: 3) { bytes[random.next(below: bytes.count)] = random.next() }
        // A size that became large costs time, and is refused where it is too large.
        var limits = Limits()
        limits.pixels = 1_000_000
        limits.scans = 20
        results[decoding.failure(bytes, limits: limits), default: 0] += 1
      }
    }
    let allowed: Set<PipelineError.Code?> = [
      nil, .corrupt, .truncated, .unsupportedFeature, .tooManyPixels, .tooManyScans,
    ]
    #expect(Set(results.keys).isSubset(of: allowed))
    #expect(results[nil] ?? 0 > 100)
    #expect(results[.corrupt] ?? 0 > 100)
  }
}
