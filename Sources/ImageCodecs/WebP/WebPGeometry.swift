import FetchPipeline

/// Which part of a frame is decoded, and to which size it is scaled while that is done.
struct WebPGeometry: Equatable {
  /// The part, in the frame's pixels; it starts at even ones, as chroma does.
  let columns: Range<Int>
  let rows: Range<Int>
  /// The size that the part comes out at.
  let scaled: PixelSize

  /// Above this scale libwebp still does the work of the loop filter, and there is little left to save.
  static let largestScale = 0.75

  init(size: PixelSize, plan: DecodePlan) {
    func part(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int> {
      let first = min(max(start, 0), Double(limit - 1))
      let last = min(max(start + length, first), Double(limit))
      let low = Int(first) & ~1
      return low..<max(Int(last.rounded(.up)), low + 1)
    }
    let region = plan.region ?? PixelRect(size)
    columns = part(region.x, region.width, size.width)
    rows = part(region.y, region.height, size.height)
    func side(_ length: Int) -> Int {
      guard plan.areaScale < Self.largestScale else { return length }
      return min(max(Int((Double(length) * max(plan.areaScale, 0) - 1e-9).rounded(.up)), 1), length)
    }
    scaled = PixelSize(width: side(columns.count), height: side(rows.count))
  }

  /// The size of the part.
  var partSize: PixelSize { PixelSize(width: columns.count, height: rows.count) }

  /// Whether the part is not all of a frame of `size`.
  func isPart(of size: PixelSize) -> Bool { partSize != size }

  /// Whether the part comes out smaller than it is.
  var isScaled: Bool { scaled != partSize }

  /// Where the whole picture of `size` lies in the scaled plane.
  ///
  /// libwebp scales planes as a whole, so that their ratio is that of the two sizes: for a chroma plane, whose samples are
  /// two pixels wide, that of the sizes halved and rounded up.
  func window(of size: PixelSize, subsampling: Int) -> PixelRect {
    func ratio(_ scaled: Int, _ part: Int) -> Double {
      Double((scaled + subsampling - 1) / subsampling) / Double((part + subsampling - 1) / subsampling)
    }
    let x = ratio(scaled.width, columns.count) / Double(subsampling)
    let y = ratio(scaled.height, rows.count) / Double(subsampling)
    return PixelRect(
      x: -Double(columns.lowerBound) * x, y: -Double(rows.lowerBound) * y, width: Double(size.width) * x,
      height: Double(size.height) * y)
  }
}
