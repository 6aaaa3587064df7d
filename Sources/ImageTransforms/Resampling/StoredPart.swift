import FetchPipeline

/// Where a part of a picture lies in its planes.
struct StoredPart {
  /// The part of each plane, in its samples, in stored orientation.
  let windows: [PixelRect]
  private let orientation: Orientation

  /// - Parameter region: in nominal pixels as displayed; nil for all.
  init(of image: PixelImage, region: PixelRect?) throws {
    orientation = image.orientation
    let nominal = image.storedSize
    guard let region else {
      windows = image.planes.map(\.window)
      try check()
      return
    }
    let stored = image.orientation.stored(region, displayed: image.size)
    windows = image.planes.map { plane in
      let horizontal = plane.window.width / Double(nominal.width)
      let vertical = plane.window.height / Double(nominal.height)
      return PixelRect(
        x: plane.window.x + stored.x * horizontal, y: plane.window.y + stored.y * vertical,
        width: stored.width * horizontal, height: stored.height * vertical)
    }
    try check()
  }

  private func check() throws {
    for window in windows {
      let edges = [window.x, window.y, window.x + window.width, window.y + window.height]
      guard edges.allSatisfy({ abs($0) < 1e9 }), window.width > 1e-6, window.height > 1e-6 else {
        throw PipelineError(.transform, .transform, "the picture has no part at \(window)")
      }
    }
  }

  /// The subsampling, of at most what is stored, that keeps the detail of the chroma planes in a picture of `size`, as
  /// displayed.
  func nativeChroma(for size: PixelSize) -> ChromaSubsampling {
    guard windows.count > 1 else { return .none }
    func factor(_ luma: Double, _ chroma: Double, _ target: Int) -> Int {
      let stored = (luma / chroma).rounded()
      return Int(max(min(stored, (Double(target) / chroma).rounded()), 1))
    }
    let displayed = orientation.applied(to: size)
    let x = factor(windows[0].width, windows[1].width, displayed.width)
    let y = factor(windows[0].height, windows[1].height, displayed.height)
    return orientation.swapsAxes
      ? ChromaSubsampling(horizontal: y, vertical: x) : ChromaSubsampling(horizontal: x, vertical: y)
  }
}

/// How one plane of a target is mapped from a source plane, along both axes, in stored orientation.
struct PlaneAxes {
  let x: AxisMapping
  let y: AxisMapping
  /// The part of the target plane that is the picture.
  let targetWindow: PixelRect

  /// - Parameters:
  ///   - stored: the target's size in stored orientation.
  ///   - subsampling: that of the plane, as displayed.
  init(
    window: PixelRect, limits: PixelSize, stored: PixelSize, subsampling: ChromaSubsampling, orientation: Orientation
  ) {
    let (transposes, mirrorsX, mirrorsY) = orientation.steps
    let horizontal = transposes ? subsampling.vertical : subsampling.horizontal
    let vertical = transposes ? subsampling.horizontal : subsampling.vertical
    x = AxisMapping(
      windowStart: window.x, windowLength: window.width, limit: limits.width, length: stored.width, factor: horizontal,
      mirrored: transposes ? mirrorsY : mirrorsX)
    y = AxisMapping(
      windowStart: window.y, windowLength: window.height, limit: limits.height, length: stored.height, factor: vertical,
      mirrored: transposes ? mirrorsX : mirrorsY)
    let (width, height) = (Double(stored.width) / Double(horizontal), Double(stored.height) / Double(vertical))
    targetWindow = PixelRect(
      x: (transposes ? mirrorsY : mirrorsX) ? Double(x.count) - width : 0,
      y: (transposes ? mirrorsX : mirrorsY) ? Double(y.count) - height : 0, width: width, height: height)
  }

  /// The samples of the target plane.
  var targetSize: PixelSize { PixelSize(width: x.count, height: y.count) }

  /// Whether the target plane is the source plane, of `size`.
  func isWhole(_ size: PixelSize) -> Bool {
    x.identityOffset == 0 && y.identityOffset == 0 && targetSize == size
  }
}
