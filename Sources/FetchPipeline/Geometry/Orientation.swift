/// How stored rows and columns are to be shown: the EXIF tag Orientation (Exif 2.32, 4.6.4 A).
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
  /// As stored.
  case up = 1
  /// Mirrored left and right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top and bottom.
  case downMirrored = 4
  /// Transposed: rows are shown as columns.
  case leftMirrored = 5
  /// Shown after a quarter turn clockwise.
  case right = 6
  /// Transposed along the other diagonal.
  case rightMirrored = 7
  /// Shown after a quarter turn counter-clockwise.
  case left = 8

  /// Whether width and height are exchanged when shown.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// The size as shown of what is stored in `size`; and, being its own inverse, the other way round.
  public func applied(to size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

  /// Whether showing starts with an exchange of rows and columns, and which axes are then mirrored.
  ///
  /// Displayed pixel (x, y) of a picture shown as w×h is stored pixel (x', y'), where x' is `w-1-x` under
  /// `mirrorsX`, y' is `h-1-y` under `mirrorsY`, and the two are exchanged last under `transposes`.
  public var steps: (transposes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
    switch self {
    case .up: (false, false, false)
    case .upMirrored: (false, true, false)
    case .down: (false, true, true)
    case .downMirrored: (false, false, true)
    case .leftMirrored: (true, false, false)
    case .right: (true, true, false)
    case .rightMirrored: (true, true, true)
    case .left: (true, false, true)
    }
  }

  /// The stored rectangle that is shown at `rect` of a picture shown at `displayed` size.
  public func stored(_ rect: PixelRect, displayed: PixelSize) -> PixelRect {
    let (transposes, mirrorsX, mirrorsY) = steps
    var result = rect
    if mirrorsX { result.x = Double(displayed.width) - rect.x - rect.width }
    if mirrorsY { result.y = Double(displayed.height) - rect.y - rect.height }
    if transposes {
      result = PixelRect(x: result.y, y: result.x, width: result.height, height: result.width)
    }
    return result
  }
}
