import FetchPipeline

extension PixelImage {
  /// A whole, unscaled picture of one plane, averaged down to what a plan wants; itself where that is all of it.
  func boxReduced(for plan: DecodePlan, checkpoint: DecodeCheckpoint) throws -> PixelImage {
    let geometry = BoxGeometry(size: storedSize, plan: plan, mayReduce: true)
    guard geometry.isReduced else { return self }
    var result = try PixelImage(
      layout: layout, depth: depth, size: size, planeSizes: [geometry.planeSize],
      windows: [geometry.window(of: storedSize)], orientation: orientation,
      alpha: alpha == .straight ? .premultiplied : alpha, profile: profile)
    let reduction = BoxReduction(
      layout: layout, depth: depth, width: geometry.columns.count, factor: geometry.factor)
    let (source, target) = (planes[0], result.planes[0])
    let left = geometry.columns.lowerBound * layout.channels * depth.bytes
    try withUnsafeBytes(ofPlane: 0) { pixels throws in
      try result.withUnsafeMutableBytes(ofPlane: 0) { samples in
        guard let pixels = pixels.baseAddress, var sample = samples.baseAddress else { return }
        for row in geometry.rows {
          if row % 16 == 0 { try checkpoint() }
          reduction.add(pixels + row * source.bytesPerRow + left, isLast: row == geometry.rows.upperBound - 1)
          guard reduction.isComplete else { continue }
          reduction.finish(into: sample)
          sample += target.bytesPerRow
        }
      }
    }
    return result
  }
}
