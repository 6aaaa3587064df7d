/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// `width` columns by `height` rows.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width and height exchanged.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// The number of pixels, or nil where it does not fit an `Int` or a side is negative.
  public var area: Int? {
    guard width >= 0, height >= 0 else { return nil }
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? nil : product
  }
}

extension PixelSize: CustomStringConvertible {
  /// `width×height`.
  public var description: String { "\(width)×\(height)" }
}
