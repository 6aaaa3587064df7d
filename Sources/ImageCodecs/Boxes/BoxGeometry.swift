import FetchPipeline

/// Which samples are made of a stored picture: boxes of pixels, as far as the wanted region reaches.
struct BoxGeometry: Equatable {
  /// Columns and rows of pixels that are averaged into a sample.
  let factor: PixelSize
  /// The pixels that samples are made of, from the left and from the top.
  let columns: Range<Int>
  let rows: Range<Int>

  /// The largest box: sums and divisions are reckoned for it.
  static let largestFactor = 128

  /// - Parameter mayReduce: whether rows come from top to bottom, so that they can be averaged and left out.
  init(size: PixelSize, plan: DecodePlan, mayReduce: Bool) {
    guard mayReduce else {
      factor = PixelSize(width: 1, height: 1)
      columns = 0..<size.width
      rows = 0..<size.height
      return
    }
    let side = Self.factor(for: plan.areaScale)
    // A side that is shorter than a box is one sample, which ends where the picture does.
    factor = PixelSize(width: min(side, size.width), height: min(side, size.height))
    let region = plan.region ?? PixelRect(size)
    // Whole rows are read in place, and cutting them would be a copy.
    columns =
      side == 1
      ? 0..<size.width : Self.cells(from: region.x, length: region.width, factor: factor.width, limit: size.width)
    rows = Self.cells(from: region.y, length: region.height, factor: factor.height, limit: size.height)
  }

  /// Whether there are fewer samples than pixels; else pixels are taken as they are, in whole rows.
  var isReduced: Bool { factor.width > 1 || factor.height > 1 }

  /// The samples that are made.
  var planeSize: PixelSize {
    PixelSize(
      width: (columns.count + factor.width - 1) / factor.width, height: (rows.count + factor.height - 1) / factor.height
    )
  }

  /// Where the whole picture of `size` lies in the plane. A sample stands for a whole box also at the right and bottom
  /// edges, where the picture ends within it; what was left out of the picture lies beyond the plane.
  func window(of size: PixelSize) -> PixelRect {
    PixelRect(
      x: -Double(columns.lowerBound / factor.width), y: -Double(rows.lowerBound / factor.height),
      width: Double(size.width) / Double(factor.width), height: Double(size.height) / Double(factor.height))
  }

  /// The side of the largest box that keeps `scale`.
  static func factor(for scale: Double) -> Int {
    guard scale > 0, scale <= 0.5 else { return scale > 0.5 ? 1 : largestFactor }
    // A scale that is a hair above 1/n for rounding alone is 1/n.
    return Int(min((1 / scale * (1 + 1e-12)).rounded(.down), Double(largestFactor)))
  }

  /// The pixels of all boxes that a stretch touches; at least one box.
  private static func cells(from start: Double, length: Double, factor: Int, limit: Int) -> Range<Int> {
    let first = min(max(start, 0), Double(limit - 1))
    let last = min(max(start + length, first), Double(limit))
    let low = Int(first) / factor * factor
    let boxes = (Int(last.rounded(.up)) - low + factor - 1) / factor
    return low..<min(low + max(boxes, 1) * factor, limit)
  }
}
