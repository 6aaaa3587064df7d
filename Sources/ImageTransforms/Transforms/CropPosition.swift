import FetchPipeline

/// Which part of a picture is kept where it is cut to a smaller shape.
public enum CropPosition: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// The middle; a pixel that cannot be shared evenly is cut off at the right or bottom.
  case center
  /// The upper edge, horizontally the middle.
  case top
  /// The upper right corner.
  case rightTop = "right top"
  /// The right edge, vertically the middle.
  case right
  /// The lower right corner.
  case rightBottom = "right bottom"
  /// The lower edge, horizontally the middle.
  case bottom
  /// The lower left corner.
  case leftBottom = "left bottom"
  /// The left edge, vertically the middle.
  case left
  /// The upper left corner.
  case leftTop = "left top"
  /// The part whose luma has the highest Shannon entropy: where most is to be seen.
  case entropy

  /// Where a part of size `kept` begins in a picture of size `whole`; nil where the pixels decide.
  func offset(of kept: PixelSize, in whole: PixelSize) -> (left: Int, top: Int)? {
    let (spareWidth, spareHeight) = (whole.width - kept.width, whole.height - kept.height)
    if self == .entropy { return spareWidth == 0 && spareHeight == 0 ? (0, 0) : nil }
    let left =
      switch self {
      case .left, .leftTop, .leftBottom: 0
      case .right, .rightTop, .rightBottom: spareWidth
      default: spareWidth / 2
      }
    let top =
      switch self {
      case .top, .leftTop, .rightTop: 0
      case .bottom, .leftBottom, .rightBottom: spareHeight
      default: spareHeight / 2
      }
    return (left, top)
  }
}
