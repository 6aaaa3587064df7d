import FetchPipeline
import ImageCodecs
import Testing

/// Lossy pictures stay YCbCr, keep their colours, and every sample of a scaled plane lies where the window says.
@Suite struct WebPLossyTests {
  /// A literal 4:2:0 picture of limited range.
  private static func planar(
    width: Int, height: Int, _ sample: (_ plane: Int, _ x: Double, _ y: Double) -> Double
  ) throws -> PixelImage {
    let size = PixelSize(width: width, height: height)
    let chroma = ChromaSubsampling.half.planeSize(for: size)
    let half = PixelRect(x: 0, y: 0, width: Double(width) / 2, height: Double(height) / 2)
    var image = try PixelImage(
      layout: .yCbCr, size: size, planeSizes: [size, chroma, chroma], windows: [PixelRect(size), half, half],
      range: .limited)
    for (index, plane) in image.planes.enumerated() {
      let step = index == 0 ? 1.0 : 2.0
      try image.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.size.height {
          for x in 0..<plane.size.width {
            // In pixels of the picture, at the middle of the sample.
            let value = sample(index, (Double(x) + 0.5) * step, (Double(y) + 0.5) * step)
            bytes[y * plane.bytesPerRow + x] = UInt8(value.rounded())
          }
        }
      }
    }
    return image
  }

  private static func encoded(_ image: PixelImage, quality: Int = 100) throws -> [UInt8] {
    var encoder = WebPEncoder()
    encoder.quality = quality
    return try encoder.makeSession().encode(image, checkpoint: .relaxed).array()
  }

  @Test(arguments: [(1, 1), (16, 16), (17, 31), (257, 255), (1, 700), (700, 1)], [1.0, 0.5, 0.23])
  func flatColorsStay(shape: (width: Int, height: Int), scale: Double) throws {
    let levels = [100.0, 90, 170]
    let file = try Self.encoded(
      try Self.planar(width: shape.width, height: shape.height) { plane, _, _ in levels[plane] })
    let decoded = try WebPDecoder().decoded(file, plan: .averaging(to: scale))
    let image = decoded.image
    #expect(decoded.flags.isEmpty)
    #expect(image.layout == .yCbCr)
    #expect(image.range == .limited)
    #expect(image.alpha == .opaque)
    #expect(image.size == PixelSize(width: shape.width, height: shape.height))
    let luma = image.planes[0].size
    #expect(luma.width == Int((Double(shape.width) * scale).rounded(.up)))
    #expect(luma.height == Int((Double(shape.height) * scale).rounded(.up)))
    #expect(image.planes[1].size == ChromaSubsampling.half.planeSize(for: luma))
    for plane in 0..<3 {
      for sample in image.samples(ofPlane: plane) { #expect(abs(Double(sample) - levels[plane]) <= 1) }
    }
  }

  /// A sample of a scaled plane is the mean of the pixels that the window puts it over. On waves of up to 9 levels a
  /// pixel, a quarter of a pixel beside it would be off by two levels.
  @Test(arguments: [(400, 300), (401, 303), (399, 301), (37, 45)], [0.5, 0.4, 0.3, 0.17])
  func samplesStayAtTheirPlace(shape: (width: Int, height: Int), scale: Double) throws {
    let (width, height) = shape
    func wave(_ place: Double) -> Double { 44 + abs((place * 9).truncatingRemainder(dividingBy: 320) - 160) }
    let file = try Self.encoded(
      try Self.planar(width: width, height: height) { plane, x, y in wave(plane == 0 ? x : y * 0.6) })
    let whole = try WebPDecoder().decoded(file).image
    let scaled = try WebPDecoder().decoded(file, plan: .averaging(to: scale)).image
    for (index, plane) in scaled.planes.enumerated() {
      let (source, target) = (
        Self.profile(of: whole, plane: index, alongX: index == 0),
        Self.profile(of: scaled, plane: index, alongX: index == 0)
      )
      // Samples of the whole plane to one of the scaled one, through the picture's own coordinates.
      let window = plane.window
      let ratio =
        index == 0
        ? Double(width) / window.width : Double(height) / window.height / 2
      let start = index == 0 ? window.x : window.y
      for (place, sample) in target.enumerated() {
        let mean = Self.mean(of: source, from: (Double(place) - start) * ratio, length: ratio)
        #expect(abs(sample - mean) < 1.3, "plane \(index), sample \(place) of \(target.count)")
      }
    }
  }

  /// The means of all columns, or of all rows, of a plane.
  private static func profile(of image: PixelImage, plane: Int, alongX: Bool) -> [Double] {
    let size = image.planes[plane].size
    let samples = image.samples(ofPlane: plane)
    let (count, others) = alongX ? (size.width, size.height) : (size.height, size.width)
    return (0..<count).map { place in
      let line = (0..<others).map { Double(samples[alongX ? $0 * size.width + place : place * size.width + $0]) }
      return line.reduce(0, +) / Double(others)
    }
  }

  /// The mean of a stretch of samples, those at its ends by their share.
  private static func mean(of samples: [Double], from start: Double, length: Double) -> Double {
    let end = start + length
    var sum = 0.0
    for index in max(Int(start), 0)..<min(Int(end.rounded(.up)), samples.count) {
      sum += samples[index] * (min(end, Double(index + 1)) - max(start, Double(index)))
    }
    return sum / length
  }

  @Test func aRegionIsCutAndScaled() throws {
    let (width, height, slope) = (401, 303, 0.45)
    let file = try Self.encoded(
      try Self.planar(width: width, height: height) { plane, x, y in (plane == 0 ? x : y) * slope + 30 })
    let region = PixelRect(x: 101, y: 51, width: 200, height: 149)
    for scale in [1.0, 0.5, 0.3] {
      let image = try WebPDecoder().decoded(file, plan: .averaging(to: scale, region: region)).image
      #expect(image.size == PixelSize(width: width, height: height))
      for (index, plane) in image.planes.enumerated() {
        let (x, y) = (Double(width) / plane.window.width, Double(height) / plane.window.height)
        // All of the region is stored, and not all of the picture.
        #expect(-plane.window.x * x <= region.x && (Double(plane.size.width) - plane.window.x) * x >= 301 - 0.01)
        #expect(-plane.window.y * y <= region.y && (Double(plane.size.height) - plane.window.y) * y >= 200 - 0.01)
        #expect(plane.size.width < Int(plane.window.width * 0.6))
        let samples = image.samples(ofPlane: index)
        var sum = 0.0
        for row in 0..<plane.size.height {
          for column in 0..<plane.size.width {
            let along =
              index == 0 ? (Double(column) + 0.5 - plane.window.x) * x : (Double(row) + 0.5 - plane.window.y) * y
            sum += Double(samples[row * plane.size.width + column]) - (along * slope + 30)
          }
        }
        #expect(abs(sum / Double(samples.count)) < 0.5)
      }
    }
  }

  // MARK: Alpha

  private static func transparent() throws -> PixelImage {
    let size = PixelSize(width: 96, height: 80)
    var image = try PixelImage(layout: .rgba, size: size)
    let plane = image.planes[0]
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for y in 0..<80 {
        for x in 0..<96 {
          let pixel: [UInt8] = x < 48 ? [200, 60, 40, 255] : [200, 60, 40, 64]
          for channel in 0..<4 { bytes[y * plane.bytesPerRow + x * 4 + channel] = pixel[channel] }
        }
      }
    }
    return image
  }

  @Test func alphaIsKept() throws {
    let file = try Self.encoded(try Self.transparent())
    let image = try WebPDecoder().decoded(file).image
    #expect(image.layout == .rgba)
    #expect(image.alpha == .straight)
    let samples = image.samples()
    for y in 0..<80 {
      for x in 0..<96 {
        let at = (y * 96 + x) * 4
        #expect(samples[at + 3] == (x < 48 ? 255 : 64))
        for (channel, level) in [200, 60, 40].enumerated() { #expect(abs(samples[at + channel] - level) <= 6) }
      }
    }
    let reduced = try WebPDecoder().decoded(file, plan: .averaging(to: 0.25)).image
    #expect(reduced.alpha == .premultiplied)
    #expect(reduced.planes[0].size == PixelSize(width: 24, height: 20))
    let last = Array(reduced.samples().suffix(4))
    for (sample, level) in zip(last, [50, 15, 10, 64]) { #expect(abs(sample - level) <= 2) }
  }

  // MARK: Damage

  @Test func everyTruncationIsFoundOrHarmless() throws {
    let file = try Self.encoded(try Self.planar(width: 60, height: 50) { _, x, y in x + y + 40 }, quality: 60)
    let whole = try WebPDecoder().decoded(file).image.samples()
    for count in 0..<file.count {
      let cut = Array(file[..<count])
      // The last bytes of the data are padding.
      if count >= file.count - 2, let decoded = try? WebPDecoder().decoded(cut) {
        #expect(decoded.flags == [.tolerated])
        #expect(decoded.image.samples() == whole)
      } else {
        #expect(WebPDecoder().failure(cut) == .truncated, "\(count) of \(file.count) bytes")
      }
    }
  }

  @Test func truncatedAlphaIsAnError() throws {
    let file = try Self.encoded(try Self.transparent())
    for count in stride(from: 12, to: file.count - 1, by: 7) {
      #expect(WebPDecoder().failure(Array(file[..<count])) == .truncated, "\(count) of \(file.count) bytes")
    }
  }

  @Test func aMissingChunkBehindThePixelsIsTolerated() throws {
    let data = WebPBytes.lossless(width: 6, height: 4) { x, _ in [x == 0 ? 255 : 0, 0, 0, 255] }
    let file = WebPBytes.file([
      WebPBytes.extended(width: 6, height: 4, [.exif, .alpha]), WebPBytes.chunk("VP8L", data),
      WebPBytes.chunk("EXIF", WebPBytes.tiff(orientation: 6)),
    ])
    let decoded = try WebPDecoder().decoded(Array(file.dropLast(20)))
    #expect(decoded.flags == [.tolerated])
    #expect(decoded.image.orientation == .up)
  }

  @Test func damageIsCorrupt() throws {
    // The frame's start code, the version of VP8L, and a frame that is larger than its canvas.
    var lossy = try Self.encoded(try Self.planar(width: 60, height: 50) { _, x, y in x + y + 40 })
    lossy[23] ^= 0xff
    #expect(WebPDecoder().failure(lossy) == .corrupt)
    let data = WebPBytes.lossless(width: 10, height: 8) { _, _ in [1, 2, 3, 255] }
    var lossless = WebPBytes.file([WebPBytes.chunk("VP8L", data)])
    lossless[24] |= 0xe0
    #expect(WebPDecoder().failure(lossless) == .corrupt)
    let beyond = WebPBytes.file([
      WebPBytes.extended(width: 4, height: 4, [.animation, .alpha]), WebPBytes.animation,
      WebPBytes.frame(left: 0, top: 0, width: 10, height: 8, WebPBytes.chunk("VP8L", data)),
    ])
    #expect(WebPDecoder().failure(beyond) == .corrupt)
  }

  @Test func limitsAreJudgedByTheHeader() throws {
    let data = WebPBytes.lossless(width: 1, height: 1) { _, _ in [1, 2, 3, 255] }
    var giant = data
    // 14 bits of width, 14 of height, all ones.
    giant.replaceSubrange(1..<5, with: [255, 255, 255, giant[4] | 0x0f])
    #expect(WebPDecoder().failure(WebPBytes.file([WebPBytes.chunk("VP8L", giant)])) == .tooManyPixels)
  }

  @Test func aCheckpointStopsTheWork() throws {
    let bytes = SharedBytes(try Self.encoded(try Self.planar(width: 600, height: 500) { _, x, y in (x + y) / 8 + 40 }))
    let session = WebPDecoder().makeSession()
    let probe = try session.probe(bytes, limits: Limits())
    #expect(throws: CancellationError.self) {
      try session.decode(
        bytes, probe: probe, plan: DecodePlan(), checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
    }
  }
}
