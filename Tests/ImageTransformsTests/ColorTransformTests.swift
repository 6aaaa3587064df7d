import FetchPipeline
import ImageTransforms
import Testing

/// Grayscale and background.
struct ColorTransformTests {
  @Test func `grey is the luma of BT.601`() throws {
    let rgb = try PixelImage.make(.rgb, 3, 1) { _, x, _, channel in x == channel ? 255 : 0 }
    let gray = try Grayscale().apply(to: rgb, context: .testing())
    #expect(gray.layout == .gray)
    #expect(gray.samples() == [76, 150, 29])  // 76.2, 149.7, 29.1

    let rgba = try PixelImage.make(.rgba, 2, 1) { _, x, _, channel in channel == 3 ? x * 200 : 90 }
    let grayAlpha = try Grayscale().apply(to: rgba, context: .testing(wanted: .jpeg))
    #expect(grayAlpha.layout == .grayAlpha)
    #expect(grayAlpha.samples() == [90, 0, 90, 200])

    let limited = try PixelImage.make(.yCbCr, 3, 1, range: .limited) { _, x, _, _ in [16, 126, 235][x] }
    #expect(try Grayscale().apply(to: limited, context: .testing()).samples() == [0, 128, 255])

    let cmyk = try PixelImage.make(.cmyk, 1, 1) { _, _, _, channel in channel == 3 ? 51 : 0 }
    #expect(try Grayscale().apply(to: cmyk, context: .testing()).samples() == [204])
  }

  @Test func `grey keeps windows and orientation`() throws {
    let image = try PixelImage.make(
      .yCbCr, 10, 6, windows: Array(repeating: PixelRect(x: 0, y: 0, width: 9.5, height: 5.5), count: 3),
      size: PixelSize(width: 11, height: 19), orientation: .right
    ) { _, x, _, _ in x }
    let gray = try Grayscale().apply(to: image, context: .testing())
    #expect(gray.orientation == .right)
    #expect(gray.size == image.size)
    #expect(gray.planes[0].window == image.planes[0].window)
  }

  @Test func `transparent pixels show the background`() throws {
    // Transparent vivid green, half of white, opaque black.
    let pixels = [[0, 255, 0, 0], [255, 255, 255, 128], [0, 0, 0, 255]]
    let image = try PixelImage.make(.rgba, 3, 1) { _, x, _, channel in pixels[x][channel] }
    let result = try Background(color: Color(red: 100, green: 0, blue: 200)).apply(to: image, context: .testing())
    #expect(result.layout == .rgb)
    // 255 · 128/255 + c · 127/255: 177.8, 128, 227.6.
    #expect(result.samples() == [100, 0, 200, 178, 128, 228, 0, 0, 0])

    let half = try Background(color: Color(red: 100, green: 0, blue: 200, alpha: 51)).apply(
      to: image, context: .testing())
    #expect(half.alpha == .straight)
    // Half of white over a fifth: α = 128/255 + 0.2 · 127/255 = 0.6016, red (128 + 100 · 25.4/255) / 0.6016 / …
    #expect(half.pixel(0, 0) == [100, 0, 200, 51])
    #expect(half.pixel(1, 0)[3] == 153)
    #expect(half.pixel(1, 0)[0] == 229)
    #expect(half.pixel(2, 0) == [0, 0, 0, 255])

    let opaque = try PixelImage.make(.rgb, 2, 2) { _, _, _, _ in 9 }
    #expect(try Background(color: .black).apply(to: opaque, context: .testing()).samples() == opaque.samples())
  }
}
