import FetchPipeline

extension Orientation {
  /// The orientation that first does what this one does, and then `next` to what is shown.
  func followed(by next: Orientation) -> Orientation {
    let (first, second) = (steps, next.steps)
    // From what is shown back to what is stored: mirror and exchange as `next` says, then as this one does. Behind an
    // exchange, this one's mirroring of columns is one of rows.
    return Orientation(
      transposes: first.transposes != second.transposes,
      mirrorsX: second.mirrorsX != (second.transposes ? first.mirrorsY : first.mirrorsX),
      mirrorsY: second.mirrorsY != (second.transposes ? first.mirrorsX : first.mirrorsY))
  }

  private init(transposes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
    self = Self.allCases.first { $0.steps == (transposes, mirrorsX, mirrorsY) } ?? .up
  }

  /// Where a stored rectangle of a picture of `stored` size is shown: the inverse of `stored(_:displayed:)`.
  func displayed(_ rect: PixelRect, stored: PixelSize) -> PixelRect {
    let (transposes, mirrorsX, mirrorsY) = steps
    let size = applied(to: stored)
    var result = transposes ? PixelRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width) : rect
    if mirrorsX { result.x = Double(size.width) - result.x - result.width }
    if mirrorsY { result.y = Double(size.height) - result.y - result.height }
    return result
  }
}
