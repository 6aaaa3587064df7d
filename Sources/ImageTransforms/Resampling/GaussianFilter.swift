import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Weighs every sample with its neighbours by a Gaussian.
///
/// `sigma` is in nominal pixels: on a plane that is sparser (a scaled decode, subsampled chroma) it shrinks along, so that
/// nothing has to be brought to the nominal size first. Samples beyond the picture's window weigh nothing; straight alpha
/// is multiplied in on the way.
struct GaussianFilter {
  /// In standard deviations: what lies further out weighs less than 0.1 % in all.
  private static let reach = 3.5

  private static let table = KernelTable(radius: 4) { exp(-0.5 * $0 * $0) }

  /// The standard deviation in nominal pixels.
  let sigma: Double

  /// A picture with the same planes, windows and orientation.
  func apply(to image: PixelImage, checkpoint: DecodeCheckpoint) throws -> PixelImage {
    var result = try PixelImage(
      layout: image.layout, depth: image.depth, size: image.size, planeSizes: image.planes.map(\.size),
      windows: image.planes.map(\.window), orientation: image.orientation, range: image.range, alpha: image.alpha,
      profile: image.profile)
    let nominal = image.storedSize
    for (index, plane) in image.planes.enumerated() {
      let columns = weights(
        samples: plane.size.width, from: plane.window.x, length: plane.window.width, nominal: nominal.width)
      let lines = weights(
        samples: plane.size.height, from: plane.window.y, length: plane.window.height, nominal: nominal.height)
      try PlanePass(columns: columns, lines: lines)
        .fill(plane: index, of: &result, from: image, checkpoint: checkpoint)
    }
    return result
  }

  private func weights(samples: Int, from start: Double, length: Double, nominal: Int) -> AxisWeights {
    var mapping = AxisMapping(count: samples, start: 0, step: 1, limit: samples)
    mapping.lower = start
    mapping.upper = start + length
    let deviation = max(sigma * length / Double(nominal), 0.05)
    return AxisWeights(mapping, table: Self.table, reach: deviation * Self.reach, unit: deviation)
  }

  /// What is needed of a picture to filter a part of it.
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    output.extended(by: (sigma * Self.reach).rounded(.up), in: input)
  }
}

extension PixelDemand {
  /// The demand for so many pixels more on each side, as far as there are any.
  func extended(by margin: Double, in size: PixelSize) -> PixelDemand {
    let left = max(region.x - margin, 0)
    let top = max(region.y - margin, 0)
    let right = min(region.x + region.width + margin, Double(size.width))
    let bottom = min(region.y + region.height + margin, Double(size.height))
    return PixelDemand(
      region: PixelRect(x: left, y: top, width: max(right - left, 0), height: max(bottom - top, 0)), scale: scale)
  }
}
