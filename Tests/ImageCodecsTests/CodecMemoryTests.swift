import FetchPipeline
import ImageCodecs
import Testing

/// Codecs give back what they take, also where they fail. What is lost in a hundred rounds would be lost for good.
@Suite(.serialized) struct CodecMemoryTests {
  /// Growth over rounds, of which the first tenth is to warm up, in bytes.
  private func growth(rounds: Int, _ body: () throws -> Void) rethrows -> Int {
    var start = 0
    for round in 0..<rounds {
      if round == rounds / 10 { start = ResidentMemory.now() }
      try body()
    }
    return ResidentMemory.now() - start
  }

  private static let allowance = 24 << 20

  private static func picture(_ layout: PixelLayout, side: Int) throws -> PixelImage {
    var image = try PixelImage(layout: layout, size: PixelSize(width: side, height: side))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for at in bytes.indices { bytes[at] = UInt8(truncatingIfNeeded: at &* 2_654_435_761 >> 13) }
    }
    return image
  }

  @Test func png() throws {
    let file = try PNGEncoder().makeSession().encode(Self.picture(.rgba, side: 300), checkpoint: .relaxed).array()
    let cut = Array(file.prefix(file.count / 2))
    let session = PNGDecoder().makeSession()
    let grown = try growth(rounds: 200) {
      for scale in [1, 0.3] {
        let bytes = SharedBytes(file)
        let probe = try session.probe(bytes, limits: Limits())
        _ = try session.decode(bytes, probe: probe, plan: DecodePlan(scale: scale), checkpoint: .relaxed)
        #expect(PNGDecoder().failure(cut, plan: DecodePlan(scale: scale)) == .truncated)
      }
    }
    #expect(grown < Self.allowance)
  }

  /// Small pictures, so that what a reader itself takes shows.
  @Test func smallPictures() throws {
    let png = try PNGEncoder().makeSession().encode(Self.picture(.rgb, side: 4), checkpoint: .relaxed).array()
    let webp = try WebPEncoder().makeSession().encode(Self.picture(.rgb, side: 4), checkpoint: .relaxed).array()
    let grown = try growth(rounds: 4000) {
      _ = try PNGDecoder().decoded(png)
      _ = try WebPDecoder().decoded(webp)
      _ = PNGDecoder().failure(Array(png.dropLast(30)))
      _ = WebPDecoder().failure(Array(webp.dropLast(10)))
    }
    #expect(grown < Self.allowance)
  }

  @Test func webp() throws {
    for (layout, isLossless): (PixelLayout, Bool) in [(.rgb, false), (.rgba, false), (.rgba, true)] {
      var encoder = WebPEncoder()
      encoder.isLossless = isLossless
      encoder.effort = 0
      let file = try encoder.makeSession().encode(Self.picture(layout, side: 256), checkpoint: .relaxed).array()
      let cut = Array(file.prefix(file.count / 2))
      let grown = try growth(rounds: 200) {
        _ = try WebPDecoder().decoded(file)
        _ = try WebPDecoder().decoded(file, plan: DecodePlan(scale: 0.4))
        #expect(WebPDecoder().failure(cut) == .truncated)
      }
      #expect(grown < Self.allowance)
    }
  }

  @Test func encoders() throws {
    let picture = try Self.picture(.rgb, side: 400)
    var (pngEncoder, webpEncoder) = (PNGEncoder(), WebPEncoder())
    pngEncoder.compression = 1
    webpEncoder.effort = 0
    let (png, webp) = (pngEncoder.makeSession(), webpEncoder.makeSession())
    let stop = DecodeCheckpoint(cpuTime: .seconds(60)) { true }
    let grown = try growth(rounds: 120) {
      _ = try png.encode(picture, checkpoint: .relaxed)
      _ = try webp.encode(picture, checkpoint: .relaxed)
      #expect(throws: CancellationError.self) { try png.encode(picture, checkpoint: stop) }
      #expect(throws: CancellationError.self) { try webp.encode(picture, checkpoint: stop) }
    }
    #expect(grown < Self.allowance)
  }
}
