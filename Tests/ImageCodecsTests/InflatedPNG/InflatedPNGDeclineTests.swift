import FetchPipeline
import Synchronization
import Testing

@testable import ImageCodecs

/// What is irregular is libpng's: the result is the one that it has alone, whether that is a picture or an error.
@Suite("Irregular PNGs are left to libpng")
struct InflatedPNGDeclineTests {
  private static var color: FilteredPNG {
    var source = FilteredPNG((2, 8), width: 23, height: 17)
    source.filter = { UInt8($0 % 5) }
    source.chunkLength = 300
    return source
  }
  private static var palette: FilteredPNG { FilteredPNG((3, 8), width: 23, height: 17, paletteCount: 200) }
  private static let indices: [UInt8] = (0..<17).flatMap { row in [0] + (0..<23).map { UInt8($0 * row % 200) } }

  private static func with(
    before: [[UInt8]]? = nil, after: [[UInt8]] = [], in source: FilteredPNG = color, scanlines: [UInt8]? = nil
  ) -> [UInt8] {
    var source = source
    source.png.before = before ?? source.png.before
    source.png.after = after
    return source.file(scanlines: scanlines ?? source.scanlines)
  }

  /// A file of these chunks between header and end.
  private static func chunks(_ chunks: [[UInt8]], end: [UInt8] = PNGBytes.chunk("IEND", [])) -> [UInt8] {
    ([PNGBytes.signature, color.png.header] + chunks + [end]).flatMap { $0 }
  }

  private static func spoiled(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    var bytes = bytes
    bytes[offset < 0 ? bytes.count + offset : offset] ^= 0x15
    return bytes
  }

  static let irregular: [(name: String, file: [UInt8])] = {
    let stream = FilteredPNG.deflated(color.scanlines)
    let (first, second) = (Array(stream[..<200]), Array(stream[200...]))
    func pixels(_ data: [UInt8], spoils: Bool = false) -> [UInt8] {
      PNGBytes.chunk("IDAT", data, spoilingChecksum: spoils)
    }
    let text = PNGBytes.chunk("tEXt", [65, 0, 66])
    let colors = PNGBytes.chunk("PLTE", (0..<600).map { UInt8($0 % 256) })
    let alphas = PNGBytes.chunk("tRNS", [1, 2, 3])
    var wrongFilter = color.scanlines
    wrongFilter[70 * 9] = 5
    var interlaced = PNGBytes(width: 23, height: 17, bitDepth: 8, colorType: 2)
    interlaced.isInterlaced = true
    var beyond = indices
    beyond[24 * 16 + 5] = 200
    var dictionary = stream
    dictionary[0...1] = [0x78, 0x20]
    let gray = FilteredPNG((0, 8), width: 23, height: 17)
    return [
      ("interlaced", interlaced.file { x, y, _ in x * y % 256 }),
      ("a transparent colour", with(before: [PNGBytes.chunk("tRNS", [0, 3, 0, 8, 0, 13])])),
      ("a transparent grey", with(before: [PNGBytes.chunk("tRNS", [0, 3])], in: gray)),
      ("too much alpha", with(before: [colors, PNGBytes.chunk("tRNS", indices)], in: palette, scanlines: indices)),
      ("alpha twice", with(before: [colors, alphas, alphas], in: palette, scanlines: indices)),
      ("alpha before the palette", with(before: [alphas, colors], in: palette, scanlines: indices)),
      ("no alpha in its chunk", with(before: [colors, PNGBytes.chunk("tRNS", [])], in: palette, scanlines: indices)),
      (
        "alpha with a wrong checksum",
        with(before: [colors, spoiled(alphas, at: -1)], in: palette, scanlines: indices)
      ),
      ("an index beyond the palette", with(in: palette, scanlines: beyond)),
      ("no palette", with(before: [], in: palette, scanlines: indices)),
      ("a palette twice", with(before: [colors, colors], in: palette, scanlines: indices)),
      (
        "a palette with a wrong checksum",
        with(before: [spoiled(colors, at: -1)], in: palette, scanlines: indices)
      ),
      ("a palette that ends in a colour", with(before: [PNGBytes.chunk("PLTE", [1, 2, 3, 4])], in: palette)),
      ("a filter that does not exist", color.file(scanlines: wrongFilter)),
      ("a row that is missing", color.file(scanlines: color.scanlines.dropLast(70))),
      ("a byte that is missing", color.file(scanlines: color.scanlines.dropLast())),
      ("a row too many", color.file(scanlines: color.scanlines + color.scanlines.prefix(70))),
      ("a byte too many", color.file(scanlines: color.scanlines + [0])),
      ("bytes behind the stream", color.file(stream: stream + [1, 2, 3])),
      ("a short stream", color.file(stream: stream.dropLast())),
      ("a wrong checksum of the stream", color.file(stream: spoiled(stream, at: -1))),
      ("a wrong header of the stream", color.file(stream: spoiled(stream, at: 1))),
      ("another method", color.file(stream: [0x77, 0x85] + stream.dropFirst(2))),
      ("a preset dictionary", color.file(stream: dictionary)),
      ("a block of no kind", color.file(stream: [0x78, 0x9c, 7] + stream.dropFirst(3))),
      ("a broken stream", color.file(stream: spoiled(stream, at: stream.count / 2))),
      ("a wrong checksum at first", chunks([pixels(first, spoils: true), pixels(second)])),
      ("a wrong checksum at last", chunks([pixels(first), pixels(second, spoils: true)])),
      ("an empty chunk of pixels at first", chunks([pixels([]), pixels(first), pixels(second)])),
      ("an empty chunk of pixels between", chunks([pixels(first), pixels([]), pixels(second)])),
      ("an empty chunk of pixels at last", chunks([pixels(first), pixels(second), pixels([])])),
      ("a text between pixels", chunks([pixels(first), text, pixels(second)])),
      ("pixels behind a text", chunks([pixels(first), pixels(second), text, pixels([1])])),
      ("pixels twice", chunks([pixels(stream), pixels(stream)])),
      ("no pixels", chunks([])),
      ("no end", Array(chunks([pixels(stream)], end: []))),
      ("half an end", color.file.dropLast(3)),
      (
        "a wrong checksum of the end", chunks([pixels(stream)], end: PNGBytes.chunk("IEND", [], spoilingChecksum: true))
      ),
      ("an end with content", chunks([pixels(stream)], end: PNGBytes.chunk("IEND", [1]))),
      ("a length beyond the file", chunks([pixels(stream)], end: [0, 0, 1, 0] + Array("tEXt".utf8))),
      ("no letters of a type", chunks([pixels(stream), PNGBytes.chunk("t1Xt", [1])])),
      ("a palette behind the pixels", with(after: [colors])),
      ("alpha behind the pixels", with(after: [alphas])),
      ("a profile behind the pixels", with(after: [PNGBytes.chunk("iCCP", [65, 0, 0, 1])])),
      ("a header behind the pixels", with(after: [color.png.header])),
      ("a critical chunk behind the pixels", with(after: [PNGBytes.chunk("ABCD", [1])])),
      ("a critical chunk before the pixels", with(before: [PNGBytes.chunk("ABCD", [1])])),
      ("a wrong checksum behind the pixels", with(after: [spoiled(text, at: -1)])),
      ("an impossible gamma", with(before: [PNGBytes.chunk("gAMA", [0, 0, 0, 0])])),
      ("a great chunk", with(after: [PNGBytes.chunk("teXt", [UInt8](repeating: 0, count: 4 << 20 + 1))])),
    ]
  }()

  @Test(arguments: irregular.indices)
  func irregularFilesAreLibpngs(_ index: Int) throws {
    let (name, file) = Self.irregular[index]
    let comparison = PNGComparison()
    let regions = [nil, PixelRect(x: 2, y: 6, width: 9, height: 5), PixelRect(x: 0, y: 9, width: 23, height: 8)]
    for policy in DamagePolicy.allCases {
      for region in regions {
        for scale in [1, 0.3] {
          var plan = DecodePlan.averaging(to: scale, region: region)
          plan.onDamage = policy
          // Below a region nobody looks for indices.
          let isServed = region?.y == 6 && name == "an index beyond the palette"
          try comparison.expectSame(file, plan, isAccelerated: isServed, "\(name), scale \(scale), \(policy)")
        }
      }
    }
  }

  @Test func whatIsTooLargeIsLibpngs() throws {
    let comparison = PNGComparison()
    for (height, isAccelerated) in [(2000, true), (2100, false)] {
      let source = FilteredPNG((6, 8), width: 2048, height: height)
      let rows = [UInt8](repeating: 0, count: (source.rowBytes + 1) * height)
      let file = source.file(stream: FilteredPNG.deflated(rows, level: 1))
      try comparison.expectSame(file, .averaging(to: 0.01), isAccelerated: isAccelerated)
    }
  }

  /// What is said of the memory before a decode is what the decode goes by.
  @Test func whereMemoryIsShortLibpngReads() throws {
    var source = FilteredPNG((2, 8), width: 1000, height: 1500)
    let rows = [UInt8](repeating: 0, count: 3001 * 1500)
    let comparison = PNGComparison()
    for isSplit in [false, true] {
      let stream = FilteredPNG.deflated(rows, level: 1)
      source.chunkLength = isSplit ? stream.count / 2 : nil
      let bytes = SharedBytes(source.file(stream: stream))
      for memory in [16, 8] {
        var plan = DecodePlan.averaging(to: 0.1)
        plan.limits.memory = .mebibytes(memory)
        let peaks = try [PNGDecoderSession(), PNGDecoderSession(isAccelerated: false)].map {
          $0.peakBytes(of: try $0.probe(bytes, limits: plan.limits), plan: plan)
        }
        let extra = memory == 16 ? rows.count + (isSplit ? stream.count : 0) : 0
        #expect(peaks[0] - peaks[1] == extra)
        try comparison.expectSame(Array(source.file(stream: stream)), plan, isAccelerated: memory == 16)
      }
    }
  }

  /// A small buffer is kept for the next picture, and is told of; a large one is not, nor one that has no use.
  @Test func littleMemoryIsKept() throws {
    func file(height: Int) -> [UInt8] {
      let source = FilteredPNG((2, 8), width: 1000, height: height)
      return source.file(stream: FilteredPNG.deflated([UInt8](repeating: 0, count: 3001 * height), level: 1))
    }
    let (small, medium, large) = (file(height: 1), file(height: 1000), file(height: 2000))
    let declined = Array(small.dropLast(12))
    let plain = PNGDecoderSession(isAccelerated: false)
    func kept(by session: PNGDecoderSession) throws -> Int {
      let peaks = try [session, plain].map {
        $0.peakBytes(of: try $0.probe(SharedBytes(declined), limits: Limits()), plan: DecodePlan())
      }
      return peaks[0] - peaks[1]
    }
    func decode(_ file: [UInt8], memory: Int? = nil, by session: PNGDecoderSession) throws {
      var plan = DecodePlan.averaging(to: 0.1)
      plan.limits.memory = memory.map { .mebibytes($0) }
      let bytes = SharedBytes(file)
      _ = try session.decode(
        bytes, probe: session.probe(bytes, limits: plan.limits), plan: plan, checkpoint: .relaxed)
    }
    let session = PNGDecoderSession()
    #expect(try kept(by: session) == 0)
    try decode(medium, by: session)
    #expect(try kept(by: session) == 3001 * 1000)
    try decode(small, by: session)
    #expect(try kept(by: session) == 3001 * 1000)
    try decode(large, by: session)
    #expect(try kept(by: session) == 0)
    try decode(medium, memory: 64, by: session)
    #expect(try kept(by: session) == 0)
    try decode(medium, by: session)
    try decode(declined, by: session)
    #expect(try kept(by: session) == 0)
  }

  /// Between the batches of rows as well as before them.
  @Test func everyCheckpointStopsTheWork() throws {
    let source = FilteredPNG((6, 8), width: 400, height: 400)
    let bytes = SharedBytes(source.file(scanlines: [UInt8](repeating: 0, count: 1601 * 400)))
    let session = PNGDecoderSession()
    for scale in [1, 0.25] {
      let plan = DecodePlan(scale: scale)
      let probe = try session.probe(bytes, limits: plan.limits)
      let calls = Mutex(0)
      for allowed in 0... {
        calls.withLock { $0 = 0 }
        let checkpoint = DecodeCheckpoint(cpuTime: .seconds(60)) {
          calls.withLock {
            $0 += 1
            return $0 > allowed
          }
        }
        do {
          _ = try session.decode(bytes, probe: probe, plan: plan, checkpoint: checkpoint)
          #expect(session.wasAccelerated)
          #expect(allowed >= 10)
          break
        } catch is CancellationError {
          #expect(!session.wasAccelerated)
        }
      }
    }
  }
}
