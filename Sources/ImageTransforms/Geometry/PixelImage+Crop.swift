import FetchPipeline

extension PixelImage {
  /// The part of a picture at `left`, `top` in nominal pixels as displayed: a window on the same samples.
  func cropped(left: Int, top: Int, size: PixelSize) throws -> PixelImage {
    let part = try StoredPart(
      of: self,
      region: PixelRect(x: Double(left), y: Double(top), width: Double(size.width), height: Double(size.height)))
    var result = self
    result.size = size
    for (index, window) in part.windows.enumerated() { result.setWindow(window, ofPlane: index) }
    return result
  }

  /// The picture without the samples that lie wholly beyond its windows; itself where there are none.
  func trimmed() throws -> PixelImage {
    let parts = planes.map { plane in
      let window = plane.window
      func range(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int> {
        let low = min(max(start.rounded(.down), 0), Double(limit - 1))
        let high = min(max((start + length).rounded(.up), low + 1), Double(limit))
        return Int(low)..<Int(high)
      }
      return (
        columns: range(window.x, window.width, plane.size.width),
        rows: range(window.y, window.height, plane.size.height)
      )
    }
    let sizes = parts.map { PixelSize(width: $0.columns.count, height: $0.rows.count) }
    guard sizes != planes.map(\.size) else { return self }
    let windows = zip(planes, parts).map { plane, part in
      var window = plane.window
      window.x -= Double(part.columns.lowerBound)
      window.y -= Double(part.rows.lowerBound)
      return window
    }
    var result = try PixelImage(
      layout: layout, depth: depth, size: size, planeSizes: sizes, windows: windows, orientation: orientation,
      range: range, alpha: alpha, profile: profile)
    for (index, part) in parts.enumerated() {
      try result.copySamples(ofPlane: index, from: self, left: part.columns.lowerBound, top: part.rows.lowerBound)
    }
    return result
  }
}
