import FetchPipeline

extension PixelImage {
  /// A YCbCr picture of full range whose luma plane is like this picture's first plane, with chroma planes beside it that
  /// are smaller by `subsampling`; its samples are still to be written.
  func withChromaPlanes(_ subsampling: ChromaSubsampling) throws -> PixelImage {
    let luma = planes[0]
    let chroma = subsampling.planeSize(for: luma.size)
    let window = luma.window.scaled(x: 1 / Double(subsampling.horizontal), y: 1 / Double(subsampling.vertical))
    return try PixelImage(
      layout: .yCbCr, depth: depth, size: size, planeSizes: [luma.size, chroma, chroma],
      windows: [luma.window, window, window], orientation: orientation, profile: profile)
  }

  /// Fills a plane with the samples that a plane of another picture has from `left` and `top` on.
  ///
  /// The depth and the channels are the same; the other plane has at least as many columns and rows from there.
  mutating func copySamples(ofPlane index: Int, from other: PixelImage, left: Int = 0, top: Int = 0) throws {
    let (from, to) = (other.planes[index], planes[index])
    let pixel = to.channels * depth.bytes
    try withUnsafeMutableBytes(ofPlane: index) { target in
      other.withUnsafeBytes(ofPlane: index) { source in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        for row in 0..<to.size.height {
          (target + row * to.bytesPerRow).copyMemory(
            from: source + (top + row) * from.bytesPerRow + left * pixel, byteCount: to.size.width * pixel)
        }
      }
    }
  }

  /// YCbCr whose chroma planes have a sample for each sample of luma, at the same place.
  func withChromaOnLumaGrid() throws -> PixelImage {
    let luma = planes[0]
    if planes[1...].allSatisfy({ $0.size == luma.size && $0.window == luma.window }) { return self }
    var result = try blank(.yCbCr)
    result.range = range
    try result.copySamples(ofPlane: 0, from: self)
    for index in 1..<3 {
      let chroma = planes[index]
      let horizontal = chroma.window.width / luma.window.width
      let vertical = chroma.window.height / luma.window.height
      let x = AxisMapping(
        count: luma.size.width, start: chroma.window.x - luma.window.x * horizontal, step: horizontal,
        limit: chroma.size.width)
      let y = AxisMapping(
        count: luma.size.height, start: chroma.window.y - luma.window.y * vertical, step: vertical,
        limit: chroma.size.height)
      try Resampler(kernel: .linear).fill(plane: index, of: &result, from: self, x: x, y: y, checkpoint: nil)
    }
    return result
  }

  /// Whether the chroma planes are as a stage wants them: of that subsampling, or any, and without a part that does not
  /// belong to the picture. Expects an upright picture whose luma is literal.
  func hasLiteralChroma(_ subsampling: ChromaSubsampling?) -> Bool {
    planes[1...].allSatisfy { plane in
      let window = plane.window
      guard window.x == 0, window.y == 0 else { return false }
      guard let subsampling else {
        return window.width.rounded(.up) == Double(plane.size.width)
          && window.height.rounded(.up) == Double(plane.size.height)
      }
      // Exact, or whole where the last sample reaches beyond the picture.
      let width = Double(size.width) / Double(subsampling.horizontal)
      let height = Double(size.height) / Double(subsampling.vertical)
      return plane.size == subsampling.planeSize(for: size)
        && (window.width == width || window.width == Double(plane.size.width))
        && (window.height == height || window.height == Double(plane.size.height))
    }
  }
}
