import FetchPipeline

/// Brings a picture, or a part of one, to an exact size.
///
/// Geometry is exact: each plane is mapped from its own window, however fractional, and chroma stays where it belongs for
/// odd sizes too. Samples beyond the edge of the part have no weight, so that a part comes out as if it had been cut out
/// first, and the padding that scaled decoders leave behind the window is not seen.
///
/// Planar YCbCr is filtered plane by plane, in its own range; colours beside straight alpha are filtered premultiplied.
/// 8-bit samples are weighed in integers, 16-bit ones and straight alpha in floats; a flat picture stays exactly so.
public struct Resampler: Sendable, Hashable {
  /// The filter.
  public var kernel: ResampleKernel

  /// A resampler with that filter.
  public init(kernel: ResampleKernel = .lanczos3) {
    self.kernel = kernel
  }

  /// `region` of `image` as a literal picture of `size`, upright, in the same layout, depth, range and alpha state.
  ///
  /// The picture itself, where it is that already.
  ///
  /// - Parameters:
  ///   - region: in nominal pixels as displayed; nil for all.
  ///   - size: as displayed.
  ///   - chroma: the subsampling of the result, if it is YCbCr; nil for as little as the source has detail for.
  ///   - checkpoint: called every few milliseconds.
  /// - Throws: `transform` for an empty size or region, `out-of-budget` where there is no memory, and what `checkpoint`
  ///   throws.
  public func resample(
    _ image: PixelImage, region: PixelRect? = nil, to size: PixelSize, chroma: ChromaSubsampling? = nil,
    checkpoint: DecodeCheckpoint? = nil
  ) throws -> PixelImage {
    let part = try StoredPart(of: image, region: region)
    guard size.width > 0, size.height > 0 else {
      throw PipelineError(.transform, .transform, "a picture cannot have \(size) pixels")
    }
    let stored = image.orientation.applied(to: size)
    let subsampling = image.layout == .yCbCr ? chroma ?? part.nativeChroma(for: size) : .none
    let axes = image.planes.indices.map { index in
      PlaneAxes(
        window: part.windows[index], limits: image.planes[index].size, stored: stored,
        subsampling: index == 0 ? .none : subsampling, orientation: image.orientation)
    }
    if axes.indices.allSatisfy({ axes[$0].isWhole(image.planes[$0].size) }) {
      var same = image
      same.size = size
      return try same.upright()
    }
    var result = try PixelImage(
      layout: image.layout, depth: image.depth, size: size, planeSizes: axes.map(\.targetSize),
      windows: axes.map(\.targetWindow), orientation: image.orientation, range: image.range, alpha: image.alpha,
      profile: image.profile)
    for index in image.planes.indices {
      try fill(
        plane: index, of: &result, from: image, x: axes[index].x, y: axes[index].y, checkpoint: checkpoint)
    }
    return try result.upright()
  }

  /// Writes one plane of a picture from the same plane of another of the same layout and depth.
  func fill(
    plane index: Int, of result: inout PixelImage, from image: PixelImage, x: AxisMapping, y: AxisMapping,
    checkpoint: DecodeCheckpoint?
  ) throws {
    if let left = x.identityOffset, let top = y.identityOffset {
      try result.copySamples(ofPlane: index, from: image, left: left, top: top)
      return
    }
    try PlanePass(
      columns: AxisWeightsCache.weights(for: x, kernel: kernel), lines: AxisWeightsCache.weights(for: y, kernel: kernel)
    ).fill(plane: index, of: &result, from: image, checkpoint: checkpoint)
  }
}
