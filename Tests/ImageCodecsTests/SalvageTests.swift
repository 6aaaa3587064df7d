import FetchPipeline
import ImageCodecs
import Testing

/// What is kept of pictures with missing or broken pixels, and what stands where nothing came.
@Suite struct SalvageTests {
  private static let salvage = DecodePlan(onDamage: .salvage)

  // MARK: PNG

  private let png = PNGBytes(width: 40, height: 30, bitDepth: 8, colorType: 2)
  private static func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int { (x * 5 + y * 3 + channel * 60) & 127 }

  /// The content of IDAT is stored as it is: 121 bytes a row.
  @Test func rowsOfACutPNGStayAndTheRestIsGrey() throws {
    let file = png.file(Self.sample)
    let beginning = file.count - 12 - 4 - 4 - 30 * 121
    let decoded = try PNGDecoder().decoded(Array(file.prefix(beginning + 17 * 121)), plan: Self.salvage)
    #expect(decoded.damage?.code == .truncated)
    #expect(!decoded.flags.contains(.tolerated))
    let samples = decoded.image.samples()
    for y in 0..<30 {
      // The checksum and the end of the stream are behind what a row needs; libpng may still hold one back.
      guard y != 16 else { continue }
      for at in 0..<120 {
        #expect(samples[y * 120 + at] == (y < 16 ? Self.sample(at / 3, y, at % 3) : 128), "row \(y)")
      }
    }
  }

  @Test func missingRowsAreTransparentWhereThereIsAlpha() throws {
    let png = PNGBytes(width: 40, height: 30, bitDepth: 8, colorType: 6)
    let file = png.file { _, _, _ in 200 }
    for scale in [1, 0.25] {
      let plan = DecodePlan(scale: scale, onDamage: .salvage)
      let image = try PNGDecoder().decoded(Array(file.prefix(file.count / 2)), plan: plan).image
      let samples = image.samples()
      #expect(samples.first == (image.alpha == .premultiplied ? (200 * 200 + 127) / 255 : 200))
      #expect(samples.suffix(image.planes[0].size.width * 4).allSatisfy { $0 == 0 })
    }
  }

  @Test func earlierPassesStandInForLaterOnes() throws {
    var png = PNGBytes(width: 16, height: 16, bitDepth: 8, colorType: 0)
    png.isInterlaced = true
    let file = png.file { x, y, _ in (x / 8 + y / 8) * 50 + 20 }
    // Six passes without their last: rows of 8×8 have the values of the first pass.
    let decoded = try PNGDecoder().decoded(Array(file.prefix(file.count - 150)), plan: Self.salvage)
    #expect(decoded.damage?.code == .truncated)
    let samples = decoded.image.samples()
    for y in 0..<16 { for x in 0..<16 { #expect(samples[y * 16 + x] == (x / 8 + y / 8) * 50 + 20) } }
  }

  @Test func wrongChecksumsOfPixelsAreOverlooked() throws {
    var file = png.file(Self.sample)
    file[file.count - 13] ^= 0x55
    #expect(PNGDecoder().failure(file) == .corrupt)
    let decoded = try PNGDecoder().decoded(file, plan: Self.salvage)
    #expect(decoded.damage?.code == .corrupt)
    #expect(decoded.image.samples()[40 * 3 * 29 + 5] == Self.sample(1, 29, 2))
  }

  @Test func soundPicturesAreTheSame() throws {
    for type in PNGBytes.allTypes where type.colorType != 3 {
      for isInterlaced in [false, true] {
        var png = PNGBytes(width: 13, height: 11, bitDepth: type.bitDepth, colorType: type.colorType)
        png.isInterlaced = isInterlaced
        let file = png.file { x, y, channel in (x * 7 + y * 5 + channel) & ((1 << Int(type.bitDepth)) - 1) }
        let kept = try PNGDecoder().decoded(file, plan: Self.salvage)
        #expect(kept.damage == nil && kept.flags.isEmpty)
        #expect(kept.image.samples() == (try PNGDecoder().decoded(file).image.samples()))
      }
    }
    let jpeg = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
    for file in [jpeg.file, jpeg.progressiveFile] {
      let kept = try JPEGDecoder().decoded(file, plan: Self.salvage)
      #expect(kept.damage == nil && kept.flags.isEmpty)
      #expect(kept.image.samples() == (try JPEGDecoder().decoded(file).image.samples()))
    }
  }

  @Test func nothingAndBrokenHeadersFailAllTheSame() {
    let file = png.file(Self.sample)
    for count in [0, 7, 20, 33, 45] {
      #expect(PNGDecoder().failure(Array(file.prefix(count)), plan: Self.salvage) == .truncated, "\(count)")
    }
    var header = file
    header[19] ^= 1
    #expect(PNGDecoder().failure(header, plan: Self.salvage) == .corrupt)
    let jpeg = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
    for count in [0, 3, jpeg.head.count, jpeg.head.count + jpeg.scanHeader([0, 1, 2]).count] {
      #expect(JPEGDecoder().failure(Array(jpeg.file.prefix(count)), plan: Self.salvage) == .truncated, "\(count)")
    }
  }

  // MARK: JPEG

  @Test(arguments: [0.125, 1]) func blocksOfACutJPEGStayAndTheRestIsGrey(scale: Double) throws {
    let source = JPEGBytes.color(64, 64) { 40 + ($0 + $1) * 8 + $2 }
    let file = source.file
    let scan = source.scan([0, 1, 2]).count
    let plan = DecodePlan(scale: scale, onDamage: .salvage)
    let cut = Array(file.prefix(file.count - 2 - scan / 2))
    #expect(JPEGDecoder().failure(cut) == .truncated)
    let decoded = try JPEGDecoder().decoded(cut, plan: plan)
    #expect(decoded.damage?.code == .truncated)
    let whole = try JPEGDecoder().decoded(file, plan: DecodePlan(scale: scale))
    let side = decoded.image.planes[0].size
    #expect(decoded.image.sample(0, 0, 0) == whole.image.sample(0, 0, 0))
    #expect(decoded.image.sample(0, side.width - 1, side.height - 1) == 128)
    #expect(decoded.image.sample(1, 0, decoded.image.planes[1].size.height - 1) == 128)
  }

  /// A marker that the library cannot bear makes it drop all it has; what is before is read again.
  @Test func whatComesBeforeABrokenSegmentStays() throws {
    let source = JPEGBytes.color(40, 24) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
    let scans = source.progressiveScans
    let broken: [UInt8] = [0xff, 0xc4, 0, 3, 0]
    let file = source.progressiveHead + scans[0] + broken + scans.dropFirst().flatMap { $0 } + JPEGBytes.end
    #expect(JPEGDecoder().failure(file) == .corrupt)
    let decoded = try JPEGDecoder().decoded(file, plan: Self.salvage)
    #expect(decoded.damage?.code == .corrupt)
    let coarse = try JPEGDecoder().decoded(source.progressiveHead + scans[0] + JPEGBytes.end)
    #expect(decoded.image.samples() == coarse.image.samples())
  }

  // MARK: WebP

  @Test func rowsOfACutWebPStay() throws {
    let image = try Self.gradient()
    for (encoder, isOpaque) in [(WebPEncoder(), true), (WebPEncoder(), false)] {
      var encoder = encoder
      encoder.isLossless = true
      let source = isOpaque ? image.opaque : image.alpha
      let file = try encoder.makeSession().encode(source, checkpoint: .relaxed).array()
      let cut = Array(file.prefix(file.count * 2 / 3))
      #expect(WebPDecoder().failure(cut) == .truncated)
      let decoded = try WebPDecoder().decoded(cut, plan: Self.salvage)
      #expect(decoded.damage?.code == .truncated)
      let (samples, whole) = (decoded.image.samples(), source.samples())
      let row = 200 * source.layout.channels
      #expect(Array(samples.prefix(row)) == Array(whole.prefix(row)))
      #expect(samples.suffix(row).allSatisfy { $0 == (isOpaque ? 128 : 0) })
    }
  }

  @Test func lossyWebPKeepsItsFirstRows() throws {
    let source = try Self.gradient().opaque
    let file = try WebPEncoder().makeSession().encode(source, checkpoint: .relaxed).array()
    let cut = Array(file.prefix(file.count * 3 / 4))
    #expect(WebPDecoder().failure(cut) == .truncated)
    for scale in [1, 0.25] {
      let decoded = try WebPDecoder().decoded(cut, plan: DecodePlan(scale: scale, onDamage: .salvage))
      #expect(decoded.damage?.code == .truncated)
      let whole = try WebPDecoder().decoded(file, plan: DecodePlan(scale: scale))
      let plane = decoded.image.planes[0]
      #expect(decoded.image.sample(0, 3, 0) == whole.image.sample(0, 3, 0))
      #expect(decoded.image.sample(0, plane.size.width - 1, plane.size.height - 1) == 126)
    }
  }

  /// 200×200 of noise on slopes, in RGB and RGBA.
  private static func gradient() throws -> (opaque: PixelImage, alpha: PixelImage) {
    func image(_ layout: PixelLayout) throws -> PixelImage {
      var random = SeededBytes(5)
      var image = try PixelImage(layout: layout, size: PixelSize(width: 200, height: 200))
      let stride = image.planes[0].bytesPerRow
      try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
        for y in 0..<200 {
          for at in 0..<(200 * layout.channels) {
            bytes[y * stride + at] =
              layout.hasAlpha && at % 4 == 3 ? 200 : UInt8((at / 5 + y / 2) % 200) &+ random.next() % 32
          }
        }
      }
      return image
    }
    return (try image(.rgb), try image(.rgba))
  }
}
