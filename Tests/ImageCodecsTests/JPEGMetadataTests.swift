import FetchPipeline
import ImageCodecs
import Testing

@Suite("Metadata of JPEG")
struct JPEGMetadataTests {
  private func gray(_ segments: [UInt8]) -> [UInt8] {
    var source = JPEGBytes.gray(24, 16) { _, _ in 100 }
    source.segments = segments
    return source.file
  }

  private func probe(_ bytes: [UInt8]) throws -> ImageProbe {
    try JPEGDecoder().makeSession().probe(SharedBytes(bytes), limits: Limits())
  }

  private static func exif(_ block: [UInt8]) -> [UInt8] {
    JPEGBytes.segment(0xe1, Array("Exif\0\0".utf8) + block)
  }

  // MARK: Orientation

  @Test(arguments: 1...8, [true, false])
  func orientationIsCarried(_ value: Int, isLittleEndian: Bool) throws {
    let file = gray(Self.exif(TIFFBlock.orientation(value, isLittleEndian: isLittleEndian).bytes))
    let probe = try probe(file)
    #expect(probe.orientation.rawValue == value)
    #expect(probe.storedSize == PixelSize(width: 24, height: 16))
    let displayed = value >= 5 ? PixelSize(width: 16, height: 24) : PixelSize(width: 24, height: 16)
    #expect(probe.size == displayed)
    let image = try JPEGDecoding().decode(file, scale: 1 / 8).image
    #expect(image.orientation.rawValue == value)
    #expect(image.size == displayed)
    // Samples stay as they are stored.
    #expect(image.planes[0].size == PixelSize(width: 3, height: 2))
  }

  @Test("Damaged EXIF is no error, and means up")
  func damagedEXIF() throws {
    let whole = TIFFBlock.orientation(6, isLittleEndian: true).bytes
    var random = SeededBytes(3)
    for block in [[], [0], Array(whole.prefix(9)), Array(whole.dropFirst()), (0..<40).map { _ in random.next() }] {
      let file = gray(Self.exif(block))
      #expect(try probe(file).orientation == .up)
      #expect(try JPEGDecoding().decode(file).flags == [])
    }
  }

  @Test("The first EXIF segment counts, wherever it stands among others")
  func firstEXIF() throws {
    let other = JPEGBytes.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
    let turned = Self.exif(TIFFBlock.orientation(6, isLittleEndian: true).bytes)
    let mirrored = Self.exif(TIFFBlock.orientation(2, isLittleEndian: true).bytes)
    let jfif = JPEGBytes.segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    #expect(try probe(gray(jfif + other + turned + mirrored)).orientation == .right)
    #expect(try probe(gray(mirrored + other)).orientation == .upMirrored)
    #expect(try probe(gray(other)).orientation == .up)
  }

  @Test("An orientation does not stay for the next picture")
  func nothingStays() throws {
    let decoding = JPEGDecoding()
    let profile = Self.profile([UInt8](repeating: 7, count: 50), parts: 1)
    let first = try decoding.decode(
      gray(Self.exif(TIFFBlock.orientation(6, isLittleEndian: true).bytes) + profile[0]))
    #expect(first.image.orientation == .right)
    #expect(first.image.profile != .sRGB)
    let second = try decoding.decode(gray([]))
    #expect(second.image.orientation == .up)
    #expect(second.image.profile == .sRGB)
  }

  // MARK: Profiles

  /// APP2 segments with a profile in so many parts (ICC.1:2022, B.4).
  private static func profile(_ bytes: [UInt8], parts: Int) -> [[UInt8]] {
    let share = (bytes.count + parts - 1) / parts
    return (0..<parts).map { index in
      let piece = bytes[min(index * share, bytes.count)..<min((index + 1) * share, bytes.count)]
      return JPEGBytes.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(parts)] + piece)
    }
  }

  private static let bytes: [UInt8] = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  @Test("A profile is put together from its parts, in any order", arguments: [2, 3, 255])
  func wholeProfile(_ parts: Int) throws {
    let segments = Self.profile(Self.bytes, parts: parts)
    for order in [segments, segments.reversed(), Array(segments[1...] + segments[..<1])] {
      let decoded = try JPEGDecoding().decode(gray(order.flatMap { $0 }))
      #expect(decoded.flags == [])
      #expect(decoded.image.profile == .icc(SharedBytes(Self.bytes)))
    }
  }

  @Test("A profile that is not whole, or contradicts itself, is left out with a flag")
  func brokenProfile() throws {
    let segments = Self.profile(Self.bytes, parts: 3)
    let otherCount = Self.profile(Array(Self.bytes.prefix(99)), parts: 2)
    let numberZero = JPEGBytes.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [0, 1, 9, 9])
    let numberTooHigh = JPEGBytes.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [2, 1, 9, 9])
    let cut = JPEGBytes.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1])
    for broken in [
      [segments[0], segments[2]], [segments[0], segments[1], segments[1]], segments + [segments[0]],
      [segments[0], otherCount[1]], [numberZero], [numberTooHigh], [cut],
    ] {
      let decoded = try JPEGDecoding().decode(gray(broken.flatMap { $0 }))
      #expect(decoded.flags == [.iccInvalid])
      #expect(decoded.image.profile == .sRGB)
      #expect(decoded.image.sample(0, 0, 0) == 100)
    }
  }

  @Test("Other APP2 segments are no profile")
  func otherSegments() throws {
    let decoded = try JPEGDecoding().decode(gray(JPEGBytes.segment(0xe2, Array("MPF\0II".utf8))))
    #expect(decoded.flags == [])
    #expect(decoded.image.profile == .sRGB)
  }
}
