import FetchPipeline
import ImageCodecs
import Testing

/// PNG where a pixel is transparent, else JPEG.
@Suite struct AutoEncoderTests {
  private static func picture(alpha: UInt8, at place: (x: Int, y: Int)) throws -> PixelImage {
    var image = try PixelImage(layout: .rgba, size: PixelSize(width: 20, height: 10))
    let plane = image.planes[0]
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for y in 0..<10 {
        for x in 0..<20 { for c in 0..<4 { bytes[y * plane.bytesPerRow + x * 4 + c] = c == 3 ? 255 : 90 } }
      }
      bytes[place.y * plane.bytesPerRow + place.x * 4 + 3] = alpha
    }
    return image
  }

  @Test func onePixelDecides() throws {
    let encoder = AutoEncoder()
    for place in [(x: 0, y: 0), (x: 19, y: 0), (x: 7, y: 5), (x: 19, y: 9)] {
      #expect(encoder.choice(for: try Self.picture(alpha: 254, at: place)) is PNGEncoder)
      #expect(encoder.choice(for: try Self.picture(alpha: 255, at: place)) is JPEGEncoder)
    }
    let opaque = try PixelImage(layout: .yCbCr, size: PixelSize(width: 4, height: 4))
    #expect(encoder.choice(for: opaque) is JPEGEncoder)
  }

  @Test func theFormatIsForeseenWhereNothingCanBeTransparent() {
    #expect(AutoEncoder().format(mayBeTransparent: false) == .jpeg)
    #expect(AutoEncoder().format(mayBeTransparent: true) == nil)
    #expect(AutoEncoder().acceptedForm(mayBeTransparent: false) == JPEGEncoder().acceptedForm(mayBeTransparent: false))
    #expect(AutoEncoder().acceptedForm(mayBeTransparent: true).alpha.contains(.straight))
  }

  @Test func itsOptionsAreThoseOfBoth() {
    var encoder = AutoEncoder()
    #expect(AutoEncoder.options.map(\.name) == ["quality", "progressive", "subsampling", "background", "compression"])
    encoder.jpeg.background = .black
    #expect(encoder.background == .black)
    func print(_ encoder: AutoEncoder) -> Digest {
      var print = Fingerprint("test")
      encoder.fingerprint(into: &print)
      return print.digest()
    }
    var others = [encoder, encoder, encoder]
    others[0].png.compression = 9
    others[1].jpeg.quality = 81
    #expect(Set(others.map(print)).count == 3)
  }

  @Test func aSessionOfItsOwnDecidesToo() throws {
    let session = AutoEncoder().makeSession()
    let transparent = try session.encode(try Self.picture(alpha: 0, at: (x: 3, y: 3)), checkpoint: .relaxed)
    #expect(PNGDecoder().matches(transparent))
    let opaque = try session.encode(try Self.picture(alpha: 255, at: (x: 3, y: 3)), checkpoint: .relaxed)
    #expect(JPEGDecoder().matches(opaque))
    let image = try JPEGDecoder().decoded(opaque.array()).image
    #expect(image.size == PixelSize(width: 20, height: 10))
    for sample in image.samples(ofPlane: 0) { #expect(abs(sample - 90) <= 2) }
  }
}
