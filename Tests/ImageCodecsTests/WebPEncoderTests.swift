import FetchPipeline
import ImageCodecs
import Testing

/// What is written: planes and pixels keep their colours, files hold nothing but the picture, and are the same each time.
@Suite struct WebPEncoderTests {
  private static func pixels(
    _ layout: PixelLayout, width: Int = 60, height: Int = 44, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) throws -> PixelImage {
    var image = try PixelImage(layout: layout, size: PixelSize(width: width, height: height))
    let plane = image.planes[0]
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for (channel, sample) in pixel(x, y).enumerated() {
            bytes[y * plane.bytesPerRow + x * layout.channels + channel] = sample
          }
        }
      }
    }
    return image
  }

  private static func encoder(_ change: (inout WebPEncoder) -> Void) -> WebPEncoder {
    var encoder = WebPEncoder()
    change(&encoder)
    return encoder
  }

  /// Red, as BT.601 limited has it: Y 16 + 65.481, Cb 128 − 37.797, Cr 128 + 112.
  @Test func colorsAreThoseOfTheStandard() throws {
    let image = try Self.pixels(.rgb) { _, _ in [255, 0, 0] }
    let file = try Self.encoder { $0.quality = 100 }.makeSession().encode(image, checkpoint: .relaxed).array()
    let back = try WebPDecoder().decoded(file).image
    for (plane, level) in [81, 90, 240].enumerated() {
      for sample in back.samples(ofPlane: plane) { #expect(abs(sample - level) <= 1) }
    }
  }

  @Test(arguments: [0, 2, 6]) func losslessKeepsEveryPixel(effort: Int) throws {
    let encoder = Self.encoder { ($0.isLossless, $0.effort) = (true, effort) }
    let opaque = try Self.pixels(.rgb) { x, y in [UInt8(x * 4), UInt8(y * 5), UInt8((x * y) & 255)] }
    let back = try WebPDecoder().decoded(encoder.makeSession().encode(opaque, checkpoint: .relaxed).array()).image
    #expect(back.layout == .rgb)
    #expect(back.samples() == opaque.samples())
    // Colours where nothing can be seen are not kept.
    let transparent = try Self.pixels(.rgba) { x, y in [UInt8(x * 4), UInt8(y * 5), 7, UInt8(1 + x * 4)] }
    let other = try WebPDecoder().decoded(encoder.makeSession().encode(transparent, checkpoint: .relaxed).array()).image
    #expect(other.layout == .rgba)
    #expect(other.samples() == transparent.samples())
  }

  @Test func opaqueRGBAHasNoAlpha() throws {
    var image = try Self.pixels(.rgba) { x, _ in [UInt8(x), 2, 3, 77] }
    image.alpha = .opaque
    for isLossless in [false, true] {
      let file = try Self.encoder { $0.isLossless = isLossless }.makeSession().encode(image, checkpoint: .relaxed)
      #expect(try !WebPDecoder().makeSession().probe(file, limits: Limits()).hasAlpha)
    }
  }

  @Test func onlyThePictureIsWritten() throws {
    var image = try Self.pixels(.rgb) { x, y in [UInt8(x), UInt8(y), 9] }
    image.profile = .icc(SharedBytes([1, 2, 3]))
    let file = try WebPEncoder().makeSession().encode(image, checkpoint: .relaxed).array()
    #expect(file[12..<16].elementsEqual("VP8 ".utf8))
    let length = file[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(file.count == 20 + length + length % 2)
  }

  @Test func theSamePictureGivesTheSameBytes() throws {
    let image = try Self.pixels(.rgb, width: 200, height: 150) { x, y in [UInt8(x), UInt8(y), UInt8((x ^ y) & 255)] }
    let session = WebPEncoder().makeSession()
    let first = try session.encode(image, checkpoint: .relaxed)
    #expect(try session.encode(image, checkpoint: .relaxed) == first)
    #expect(try WebPEncoder().makeSession().encode(image, checkpoint: .relaxed) == first)
  }

  @Test func lessQualityIsSmaller() throws {
    let image = try Self.pixels(.rgb, width: 200, height: 150) { x, y in [UInt8(x), UInt8(y), UInt8((x ^ y) & 255)] }
    let sizes = try [20, 50, 80, 100].map { quality in
      try Self.encoder { $0.quality = quality }.makeSession().encode(image, checkpoint: .relaxed).count
    }
    #expect(sizes == sizes.sorted())
    #expect(Set(sizes).count == 4)
  }

  @Test func otherFormsAreRefused() throws {
    let size = PixelSize(width: 4, height: 4)
    var fullRange = try PixelImage(layout: .yCbCr, size: size)
    fullRange.range = .full
    let images = [
      fullRange, try PixelImage(layout: .rgba, size: size, alpha: .premultiplied),
      try PixelImage(layout: .gray, size: size),
      try PixelImage(layout: .rgb, depth: .sixteen, size: size),
      try PixelImage(layout: .rgb, size: size, planeSizes: [PixelSize(width: 2, height: 2)]),
      try PixelImage(layout: .yCbCr, size: size),
      try PixelImage(layout: .rgb, size: PixelSize(width: 16_384, height: 1)),
    ]
    for image in images {
      #expect(throws: PipelineError.self) { try WebPEncoder().makeSession().encode(image, checkpoint: .relaxed) }
    }
  }

  @Test func aCheckpointStopsTheWork() throws {
    let image = try Self.pixels(.rgb, width: 200, height: 150) { x, y in [UInt8(x), UInt8(y), UInt8((x ^ y) & 255)] }
    #expect(throws: CancellationError.self) {
      try WebPEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
    }
  }
}
