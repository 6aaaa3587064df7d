import FetchPipeline
import ImageCodecs
import Testing

/// Every colour type and depth comes out as the specification says, interlaced or not, at sizes that are no multiple of
/// anything.
@Suite struct PNGLayoutTests {
  @Test(arguments: PNGBytes.allTypes, [false, true])
  func everyTypeKeepsItsSamples(type: (colorType: UInt8, bitDepth: UInt8), isInterlaced: Bool) throws {
    for (width, height) in [(1, 1), (3, 2), (9, 7), (13, 17)] {
      var png = PNGBytes(width: width, height: height, bitDepth: type.bitDepth, colorType: type.colorType)
      png.isInterlaced = isInterlaced
      let palette = (0..<(1 << min(Int(type.bitDepth), 8))).map { index in [index * 7 & 255, 255 - index, index] }
      if type.colorType == 3 { png.before = [PNGBytes.chunk("PLTE", palette.flatMap { $0.map(UInt8.init) })] }
      let levels = 1 << Int(type.bitDepth)
      func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int { (x * 31 + y * 57 + channel * 101 + x * y) % levels }

      let image = try PNGDecoder().decoded(png.file(sample)).image

      let layout: PixelLayout =
        [0: PixelLayout.gray, 2: .rgb, 3: .rgb, 4: .grayAlpha, 6: .rgba][type.colorType] ?? .cmyk
      #expect(image.layout == layout)
      #expect(image.depth == (type.bitDepth == 16 ? .sixteen : .eight))
      #expect(image.alpha == (type.colorType >= 4 ? .straight : .opaque))
      #expect(image.size == PixelSize(width: width, height: height))
      #expect(image.isLiteral)
      var expected: [Int] = []
      for y in 0..<height {
        for x in 0..<width {
          for channel in 0..<png.channels {
            let stored = sample(x, y, channel)
            if type.colorType == 3 {
              expected += palette[stored]
            } else {
              // 1, 2 and 4 bits spread over all of 8 (13.12: by repeating the bits).
              expected.append(type.bitDepth < 8 ? stored * 255 / (levels - 1) : stored)
            }
          }
        }
      }
      #expect(image.samples() == expected)
    }
  }

  @Test func paletteTransparencyBecomesAlpha() throws {
    var png = PNGBytes(width: 4, height: 1, bitDepth: 2, colorType: 3)
    png.before = [
      PNGBytes.chunk("PLTE", [0, 255, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90]),
      // Entries beyond the chunk's are opaque (11.3.1.1).
      PNGBytes.chunk("tRNS", [0, 128]),
    ]
    let image = try PNGDecoder().decoded(png.file { x, _, _ in x }).image
    #expect(image.layout == .rgba)
    #expect(image.alpha == .straight)
    #expect(image.samples() == [0, 255, 0, 0, 10, 20, 30, 128, 40, 50, 60, 255, 70, 80, 90, 255])
  }

  @Test(arguments: [UInt8(1), 2, 4, 8, 16])
  func oneGrayIsTransparent(bitDepth: UInt8) throws {
    let largest = (1 << Int(bitDepth)) - 1
    var png = PNGBytes(width: 2, height: 1, bitDepth: bitDepth, colorType: 0)
    png.before = [PNGBytes.chunk("tRNS", [UInt8(largest >> 8), UInt8(largest & 255)])]
    let image = try PNGDecoder().decoded(png.file { x, _, _ in x == 0 ? largest : 0 }).image
    let full = bitDepth == 16 ? 65_535 : 255
    #expect(image.layout == .grayAlpha)
    #expect(image.samples() == [full, 0, 0, full])
  }

  @Test func oneColorIsTransparent() throws {
    for bitDepth: UInt8 in [8, 16] {
      var png = PNGBytes(width: 3, height: 1, bitDepth: bitDepth, colorType: 2)
      png.before = [PNGBytes.chunk("tRNS", [0, 1, 0, 2, 0, 3])]
      // The last pixel differs from the transparent colour in one sample only.
      let image = try PNGDecoder().decoded(png.file { x, _, channel in channel + (x == 2 && channel == 2 ? 0 : 1) })
        .image
      let full = bitDepth == 16 ? 65_535 : 255
      #expect(image.layout == .rgba)
      #expect(image.samples() == [1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 2, full])
    }
  }

  @Test(arguments: [(1, 5000), (5000, 1), (257, 255)])
  func extremeShapes(width: Int, height: Int) throws {
    for isInterlaced in [false, true] {
      var png = PNGBytes(width: width, height: height, bitDepth: 8, colorType: 0)
      png.isInterlaced = isInterlaced
      let image = try PNGDecoder().decoded(png.file { x, y, _ in (x * 3 + y * 5) & 255 }).image
      #expect(image.size == PixelSize(width: width, height: height))
      var expected: [Int] = []
      for y in 0..<height { for x in 0..<width { expected.append((x * 3 + y * 5) & 255) } }
      #expect(image.samples() == expected)
    }
  }
}
