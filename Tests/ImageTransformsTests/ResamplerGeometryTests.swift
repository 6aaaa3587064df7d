import FetchPipeline
import ImageTransforms
import Testing

/// Where samples land: fractional windows, odd chroma, parts of a picture.
struct ResamplerGeometryTests {
  /// The mean of actual − expected position, in source samples, over those targets that the edges do not touch.
  private func shift(
    of samples: [Int], slope: Double, start: Double, step: Double, first: Int, last: Int
  ) -> Double {
    let differences = (first...last).map { index in
      // A ramp's sample at index i is i · slope, so that coordinate c has the value (c − 0.5) · slope.
      Double(samples[index]) / slope + 0.5 - (start + (Double(index) + 0.5) * step)
    }
    return differences.reduce(0, +) / Double(differences.count)
  }

  static let windows: [(start: Double, length: Double, target: Int)] = [
    (0, 500.125, 256), (0, 500.125, 333), (0.375, 480, 192), (17.25, 301.5, 200), (3.9, 400.01, 401), (100, 50.5, 128),
  ]

  @Test(arguments: windows.indices, ResampleKernel.allCases)
  func `a ramp under a fractional window lies where it should`(index: Int, kernel: ResampleKernel) throws {
    guard kernel != .nearest else { return }
    let (start, length, target) = Self.windows[index]
    let step = length / Double(target)
    // 100 levels a sample: a hundredth of a sample is one level.
    let slope = 100.0
    let edge = Int((4 * max(step, 1) / step).rounded(.up)) + 1
    let across = try PixelImage.make(
      .gray, 501, 2, depth: .sixteen, windows: [PixelRect(x: start, y: 0, width: length, height: 2)]
    ) { _, x, _, _ in x * 100 }
    let wide = try Resampler(kernel: kernel).resample(across, to: PixelSize(width: target, height: 1))
    let horizontal = shift(
      of: wide.samples(), slope: slope, start: start, step: step, first: edge, last: target - 1 - edge)
    #expect(abs(horizontal) < 0.01)

    let down = try PixelImage.make(
      .gray, 2, 501, depth: .sixteen, windows: [PixelRect(x: 0, y: start, width: 2, height: length)]
    ) { _, _, y, _ in y * 100 }
    let tall = try Resampler(kernel: kernel).resample(down, to: PixelSize(width: 1, height: target))
    let vertical = shift(
      of: tall.samples(), slope: slope, start: start, step: step, first: edge, last: target - 1 - edge)
    #expect(abs(vertical) < 0.01)
  }

  @Test(arguments: [255, 256, 97, 3])
  func `subsampled chroma lies where luma does`(target: Int) throws {
    // Luma 400 × 4, chroma 200 × 2, one ramp over both: target chroma sample i stands for pixels 2i and 2i + 1.
    let image = try PixelImage.make(
      .yCbCr, 400, 4, depth: .sixteen,
      planes: [
        PixelSize(width: 400, height: 4), PixelSize(width: 200, height: 2), PixelSize(width: 200, height: 2),
      ]
    ) { plane, x, _, _ in plane == 0 ? x * 100 : x * 200 }
    let result = try Resampler(kernel: .catrom).resample(
      image, to: PixelSize(width: target, height: 3), chroma: .half)
    let columns = (target + 1) / 2
    #expect(result.planes[1].size == PixelSize(width: columns, height: 2))
    #expect(result.planes[1].window == PixelRect(x: 0, y: 0, width: Double(target) / 2, height: 1.5))
    guard target > 20 else { return }
    let step = 200 / Double(target) * 2
    let edge = Int((3 * max(step, 1) / step).rounded(.up)) + 1
    for plane in 1...2 {
      let moved = shift(
        of: result.samples(ofPlane: plane), slope: 200, start: 0, step: step, first: edge, last: columns - 1 - edge)
      #expect(abs(moved) < 0.01)
    }
  }

  @Test func `padding behind a fractional window does not bleed in`() throws {
    // The last column is 1/8 picture and 7/8 white padding beside a black picture.
    let image = try PixelImage.make(
      .gray, 51, 51, windows: [PixelRect(x: 0, y: 0, width: 50.125, height: 50.125)]
    ) { _, x, y, _ in x == 50 || y == 50 ? 255 : 0 }
    let result = try Resampler().resample(image, to: PixelSize(width: 25, height: 25))
    // The padding has 1/8 of a column's weight in some two columns: at most 255 / 16 and the corner twice that.
    #expect((result.samples().max() ?? 255) <= 32)
    // Whole columns behind the window have no weight at all.
    let shorter = try PixelImage.make(
      .gray, 52, 52, windows: [PixelRect(x: 0, y: 0, width: 50, height: 50)]
    ) { _, x, y, _ in x >= 50 || y >= 50 ? 255 : 0 }
    #expect(try Resampler().resample(shorter, to: PixelSize(width: 25, height: 25)).samples().allSatisfy { $0 == 0 })
  }

  @Test(arguments: [PixelLayout.gray, .rgb, .rgba, .yCbCr])
  func `a part comes out as if it had been cut out first`(layout: PixelLayout) throws {
    let whole = try PixelImage.make(layout, 60, 50) { plane, x, y, channel in
      (x * x + y * 31 + channel * 77 + plane * 13) & 255
    }
    let cut = try PixelImage.make(layout, 40, 28) { plane, x, y, channel in
      ((x + 12) * (x + 12) + (y + 9) * 31 + channel * 77 + plane * 13) & 255
    }
    let size = PixelSize(width: 17, height: 13)
    let part = try Resampler().resample(whole, region: PixelRect(x: 12, y: 9, width: 40, height: 28), to: size)
    let expected = try Resampler().resample(cut, to: size)
    for plane in 0..<layout.planeCount { #expect(part.samples(ofPlane: plane) == expected.samples(ofPlane: plane)) }
  }

  @Test func `a part of unchanged size is copied`() throws {
    let whole = try PixelImage.make(.rgb, 60, 50) { _, x, y, channel in (x * 7 + y * 31 + channel * 77) & 255 }
    let part = try Resampler().resample(
      whole, region: PixelRect(x: 12, y: 9, width: 40, height: 28), to: PixelSize(width: 40, height: 28))
    let expected = (0..<28).flatMap { y in
      (0..<40).flatMap { x in (0..<3).map { ((x + 12) * 7 + (y + 9) * 31 + $0 * 77) & 255 } }
    }
    #expect(part.samples() == expected)
  }

  @Test func `a window beyond the stored samples sees the outermost ones`() throws {
    // A decoder that gave only columns 20…39 of 60: what is asked for lies in them.
    let stored = try PixelImage.make(
      .gray, 20, 10, windows: [PixelRect(x: -20, y: 0, width: 60, height: 10)], size: PixelSize(width: 60, height: 10)
    ) { _, x, y, _ in (x + 20) * 4 + y }
    let whole = try PixelImage.make(.gray, 60, 10) { _, x, y, _ in x * 4 + y }
    let region = PixelRect(x: 22, y: 0, width: 16, height: 10)
    let size = PixelSize(width: 8, height: 5)
    let actual = try Resampler().resample(stored, region: region, to: size)
    #expect(actual.samples() == (try Resampler().resample(whole, region: region, to: size)).samples())
    let left = try Resampler().resample(stored, to: PixelSize(width: 12, height: 2)).samples()
    // The first columns show the first stored one, 80…89, of which the upper half of the rows is 80…84.
    #expect(left[0] == 82)
  }

  @Test func `a sparse picture is filled to its nominal size`() throws {
    let sparse = try PixelImage.make(.gray, 10, 10, size: PixelSize(width: 30, height: 30)) { _, _, _, _ in 99 }
    #expect(!sparse.isLiteral)
    let result = try Resampler().resample(sparse, to: sparse.size)
    #expect(result.isLiteral)
    #expect(result.samples() == Array(repeating: 99, count: 900))
  }

  @Test func `what cannot be mapped is refused`() throws {
    let image = try PixelImage.make(.gray, 4, 4) { _, _, _, _ in 1 }
    for size in [PixelSize(width: 0, height: 3), PixelSize(width: 3, height: -1)] {
      #expect(throws: PipelineError.self) { try Resampler().resample(image, to: size) }
    }
    for region in [
      PixelRect(x: 0, y: 0, width: 0, height: 4), PixelRect(x: .nan, y: 0, width: 1, height: 1),
      PixelRect(x: 1e300, y: 0, width: 1, height: 1),
    ] {
      #expect(throws: PipelineError.self) {
        try Resampler().resample(image, region: region, to: PixelSize(width: 2, height: 2))
      }
    }
  }
}
