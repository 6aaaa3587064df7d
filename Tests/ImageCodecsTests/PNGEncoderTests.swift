import FetchPipeline
import ImageCodecs
import Testing

/// What is written: nothing but pixels, the same bytes each time, and back again the same pixels.
@Suite struct PNGEncoderTests {
  private static func picture(_ layout: PixelLayout, width: Int = 61, height: Int = 47) throws -> PixelImage {
    var image = try PixelImage(layout: layout, size: PixelSize(width: width, height: height))
    let plane = image.planes[0]
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for row in 0..<height {
        for at in 0..<(width * layout.channels) {
          bytes[row * plane.bytesPerRow + at] = UInt8((at * 3 + row * 7 + (at * row) / 5) & 255)
        }
      }
    }
    return image
  }

  private static func encoded(_ image: PixelImage, compression: Int = 6) throws -> [UInt8] {
    var encoder = PNGEncoder()
    encoder.compression = compression
    return try encoder.makeSession().encode(image, checkpoint: .relaxed).array()
  }

  private static let layouts: [PixelLayout] = [.gray, .grayAlpha, .rgb, .rgba]

  @Test(arguments: layouts, [0, 1, 6, 9])
  func pixelsComeBack(layout: PixelLayout, compression: Int) throws {
    for (width, height) in [(1, 1), (61, 47), (1, 600), (600, 1)] {
      let image = try Self.picture(layout, width: width, height: height)
      let file = try Self.encoded(image, compression: compression)
      let back = try PNGDecoder().decoded(file)
      #expect(back.flags.isEmpty)
      #expect(back.image.layout == layout)
      #expect(back.image.size == image.size)
      #expect(back.image.samples() == image.samples())
    }
  }

  /// Without compression a file can be read by the specification alone: no filter, stored blocks.
  @Test(arguments: layouts) func rowsAreStoredAsTheSpecificationSays(layout: PixelLayout) throws {
    let image = try Self.picture(layout)
    let chunks = Self.chunks(of: try Self.encoded(image, compression: 0))
    #expect(chunks.first?.type == "IHDR")
    let colorType: UInt8 = [.gray: 0, .grayAlpha: 4, .rgb: 2, .rgba: 6][layout] ?? 99
    #expect(chunks.first?.data == PNGBytes.big(61) + PNGBytes.big(47) + [8, colorType, 0, 0, 0])
    var stream = chunks.filter { $0.type == "IDAT" }.flatMap(\.data)[2...]
    var rows: [UInt8] = []
    var isLast = false
    while !isLast, stream.count > 5 {
      let head = Array(stream.prefix(5))
      isLast = head[0] & 1 == 1
      #expect(head[0] & 6 == 0)
      let length = Int(head[1]) | Int(head[2]) << 8
      rows += stream.dropFirst(5).prefix(length)
      stream = stream.dropFirst(5 + length)
    }
    let samples = image.samples().map(UInt8.init)
    let rowLength = 61 * layout.channels
    var expected: [UInt8] = []
    for row in 0..<47 { expected += [0] + samples[(row * rowLength)..<((row + 1) * rowLength)] }
    #expect(rows == expected)
  }

  @Test func nothingButPixelsIsWritten() throws {
    var image = try Self.picture(.rgba)
    image.profile = .icc(SharedBytes([1, 2, 3]))
    let types = Self.chunks(of: try Self.encoded(image)).map(\.type)
    #expect(Set(types) == ["IHDR", "IDAT", "IEND"])
  }

  @Test func theSamePictureGivesTheSameBytes() throws {
    let image = try Self.picture(.rgb, width: 300, height: 200)
    let session = PNGEncoder().makeSession()
    let first = try session.encode(image, checkpoint: .relaxed)
    #expect(try session.encode(image, checkpoint: .relaxed) == first)
    #expect(try PNGEncoder().makeSession().encode(image, checkpoint: .relaxed) == first)
  }

  @Test func moreEffortIsNoLarger() throws {
    let image = try Self.picture(.rgb, width: 300, height: 200)
    let sizes = try [0, 1, 6, 9].map { try Self.encoded(image, compression: $0).count }
    #expect(sizes[0] > 300 * 200 * 3)
    #expect(sizes.dropFirst().allSatisfy { $0 < sizes[0] / 2 })
    #expect(sizes[3] <= sizes[2])
  }

  @Test func otherFormsAreRefused() throws {
    let size = PixelSize(width: 4, height: 4)
    let images = [
      try PixelImage(layout: .rgba, size: size, alpha: .premultiplied),
      try PixelImage(layout: .rgb, depth: .sixteen, size: size),
      try PixelImage(layout: .cmyk, size: size),
      try PixelImage(layout: .rgb, size: size, planeSizes: [PixelSize(width: 2, height: 2)]),
    ]
    for image in images {
      #expect(throws: PipelineError.self) { try PNGEncoder().makeSession().encode(image, checkpoint: .relaxed) }
    }
  }

  @Test func aCheckpointStopsTheWork() throws {
    let image = try Self.picture(.rgb, width: 300, height: 200)
    #expect(throws: CancellationError.self) {
      try PNGEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
    }
  }

  /// The chunks of a file.
  private static func chunks(of file: [UInt8]) -> [(type: String, data: [UInt8])] {
    var result: [(type: String, data: [UInt8])] = []
    var rest = file[8...]
    while rest.count >= 12 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      result.append((type, Array(rest.dropFirst(8).prefix(length))))
      rest = rest.dropFirst(12 + length)
    }
    return result
  }
}
