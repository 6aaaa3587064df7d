import FetchPipeline
import ImageCodecs
import Testing

@Suite("Colour spaces of JPEG")
struct JPEGColorTests {
  /// Adobe's APP14 with its transform code (Adobe Technical Note 5116, 18).
  private static func adobe(_ transform: UInt8) -> [UInt8] {
    JPEGBytes.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
  }

  private func decode(
    _ ids: [UInt8], _ levels: [Int], _ segments: [UInt8] = [], scale: Double = 1
  ) throws -> DecodedImage {
    var source = JPEGBytes.flat(19, 11, ids: ids, levels: levels)
    source.segments = segments
    return try JPEGDecoding().decode(source.file, scale: scale)
  }

  @Test("Components are RGB by Adobe's marker or by their names", arguments: [0.125, 0.5, 1])
  func rgb(_ scale: Double) throws {
    for (ids, segments) in [([1, 2, 3], Self.adobe(0)), (Array("RGB".utf8), [])] as [([UInt8], [UInt8])] {
      let decoded = try decode(ids, [10, 120, 250], segments, scale: scale)
      #expect(decoded.image.layout == .rgb)
      #expect(decoded.flags == [])
      let size = decoded.image.planes[0].size
      // Sizes are rounded up, windows are not.
      #expect(
        size
          == PixelSize(
            width: Int((19 * scale).rounded(.up)), height: Int((11 * scale).rounded(.up))))
      #expect(decoded.image.planes[0].window == PixelRect(x: 0, y: 0, width: 19 * scale, height: 11 * scale))
      for y in 0..<size.height {
        for x in 0..<size.width { #expect(decoded.image.channels(x, y) == [10, 120, 250]) }
      }
    }
  }

  @Test("Components are YCbCr by JFIF, by Adobe's marker, by their names, and where nothing is said")
  func yCbCr() throws {
    let jfif = JPEGBytes.segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    for (ids, segments) in [
      ([1, 2, 3], jfif), ([1, 2, 3], Self.adobe(1)), ([1, 2, 3], []), ([0, 1, 2], []), (Array("RGB".utf8), jfif),
    ] as [([UInt8], [UInt8])] {
      let image = try decode(ids, [10, 120, 250], segments).image
      #expect(image.layout == .yCbCr)
      #expect((0..<3).map { image.sample($0, 5, 5) } == [10, 120, 250])
    }
  }

  /// As Chromium has it, which takes every CMYK JPEG for inverted; without a marker nothing in the file tells.
  @Test("CMYK without Adobe's marker is stored inverted as well")
  func plainCMYK() throws {
    let decoded = try decode([1, 2, 3, 4], [0, 60, 130, 255])
    #expect(decoded.image.layout == .cmyk)
    #expect(decoded.image.channels(18, 10) == [255, 195, 125, 0])
    #expect(decoded.flags == [.cmyk])
  }

  @Test("CMYK with Adobe's marker is stored inverted")
  func adobeCMYK() throws {
    let decoded = try decode([1, 2, 3, 4], [0, 60, 130, 255], Self.adobe(0))
    #expect(decoded.image.layout == .cmyk)
    #expect(decoded.image.channels(0, 0) == [255, 195, 125, 0])
    #expect(decoded.flags == [.cmyk])
  }

  @Test("YCCK is CMYK of Adobe, whose first three are stored as YCbCr", arguments: [0.125, 1])
  func adobeYCCK(_ scale: Double) throws {
    // The stored C, M and Y are 255 less red, green and blue (Adobe Technical Note 5116, 18), and, as K, the inverse of the
    // inks: an ink is what red, green or blue is. Without chroma those are what Y is.
    let neutral = try decode([1, 2, 3, 4], [200, 128, 128, 90], Self.adobe(2), scale: scale)
    #expect(neutral.image.channels(0, 0) == [200, 200, 200, 255 - 90])
    #expect(neutral.flags == [.cmyk])
    // White paper has no ink: all are stored as 255, of which the first three give black.
    let white = try decode([1, 2, 3, 4], [0, 128, 128, 255], Self.adobe(2), scale: scale)
    #expect(white.image.channels(0, 0) == [0, 0, 0, 0])
    // Y 100, Cb 108, Cr 158: red is 100 + 1.402·30 = 142, green 100 + 0.344136·20 − 0.714136·30 = 85, blue
    // 100 − 1.772·20 = 65 (JFIF 1.02).
    let colored = try decode([1, 2, 3, 4], [100, 108, 158, 0], Self.adobe(2), scale: scale)
    #expect(colored.image.channels(0, 0) == [142, 85, 65, 255])
  }

  @Test("Other numbers of components are not supported", arguments: [2, 5])
  func otherCounts(_ count: Int) throws {
    let source = JPEGBytes.flat(
      16, 16, ids: (1...UInt8(count)).map { $0 }, levels: Array(repeating: 99, count: count))
    // A scan has four components at most (T.81, B.2.3).
    #expect(JPEGDecoding().failure(count > 4 ? source.fileOfSeparateScans : source.file) == .unsupportedFeature)
  }

  @Test("What libjpeg does not decode is not supported")
  func unsupported() throws {
    var source = JPEGBytes.color(16, 16)
    source.precision = 12
    source.frame = 0xc1
    #expect(JPEGDecoding().failure(source.file) == .unsupportedFeature)
    source.precision = 8
    // Lossless, hierarchical, and lossless with arithmetic coding.
    for frame in [0xc3, 0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf] as [UInt8] {
      source.frame = frame
      #expect(JPEGDecoding().failure(source.file) == .unsupportedFeature)
    }
    // A height that stands behind the first scan.
    source.frame = 0xc0
    source.height = 0
    #expect(JPEGDecoding().failure(source.head + source.scanHeader([0, 1, 2]) + JPEGBytes.end) == .unsupportedFeature)
  }

  @Test("Quantisers of 16 bits are legal with samples of 8, in the extended process")
  func wideQuantizers() throws {
    var source = JPEGBytes.gray(16, 16) { _, _ in 77 }
    source.frame = 0xc1
    let wide = JPEGBytes.segment(0xdb, [0x10] + Array(repeating: [0, 8], count: 64).flatMap { $0 })
    let narrow = source.quantizers
    let file = source.file
    let at = try #require(file.indices.first { file[$0...].starts(with: narrow) })
    let image = try JPEGDecoding().decode(Array(file[..<at]) + wide + file[(at + narrow.count)...]).image
    #expect(image.sample(0, 9, 9) == 77)
  }
}
