import FetchPipeline

extension PixelImage {
  /// The picture with its carried orientation applied to the samples; itself where there is none.
  func upright() throws -> PixelImage {
    guard orientation != .up else { return self }
    let turned = planes.map { orientation.applied(to: $0.size) }
    let windows = planes.indices.map { index in
      orientation.displayed(planes[index].window, stored: planes[index].size)
    }
    var result = try PixelImage(
      layout: layout, depth: depth, size: size, planeSizes: turned, windows: windows, range: range, alpha: alpha,
      profile: profile)
    for index in planes.indices {
      let (source, target) = (planes[index], result.planes[index])
      try result.withUnsafeMutableBytes(ofPlane: index) { targetBytes in
        withUnsafeBytes(ofPlane: index) { sourceBytes in
          guard let from = sourceBytes.baseAddress, let to = targetBytes.baseAddress else { return }
          let turn = PlaneTurn(orientation, source: source, target: target, pixel: source.channels * depth.bytes)
          switch source.channels * depth.bytes {
          case 1: turn.copy(from, to, of: UInt8.self)
          case 2: turn.copy(from, to, of: UInt16.self)
          case 3: turn.copy(from, to, of: Bytes3.self)
          case 4: turn.copy(from, to, of: UInt32.self)
          case 6: turn.copy(from, to, of: Words3.self)
          default: turn.copy(from, to, of: UInt64.self)
          }
        }
      }
    }
    return result
  }
}

private struct Bytes3: BitwiseCopyable {
  var first: UInt8
  var second: UInt8
  var third: UInt8
}

private struct Words3: BitwiseCopyable {
  var first: UInt16
  var second: UInt16
  var third: UInt16
}

/// Copies a plane's pixels to where they are shown.
private struct PlaneTurn {
  /// Rows that are written together, so that a column that is read stays in the cache for all of them.
  private static let band = 16

  private let size: PixelSize
  private let targetBytesPerRow: Int
  /// Bytes from the stored pixel of a displayed one to that of the next column, the next row, and to that of the first.
  private let columnStep: Int
  private let rowStep: Int
  private let start: Int

  init(_ orientation: Orientation, source: PixelPlane, target: PixelPlane, pixel: Int) {
    let (transposes, mirrorsX, mirrorsY) = orientation.steps
    size = target.size
    targetBytesPerRow = target.bytesPerRow
    let alongX = transposes ? source.bytesPerRow : pixel
    let alongY = transposes ? pixel : source.bytesPerRow
    columnStep = mirrorsX ? -alongX : alongX
    rowStep = mirrorsY ? -alongY : alongY
    start = (mirrorsX ? (size.width - 1) * alongX : 0) + (mirrorsY ? (size.height - 1) * alongY : 0)
  }

  func copy<Pixel: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, of type: Pixel.Type
  ) {
    for top in stride(from: 0, to: size.height, by: Self.band) {
      let bottom = min(top + Self.band, size.height)
      for x in 0..<size.width {
        var from = source + (start + x * columnStep + top * rowStep)
        var to = target + (x * MemoryLayout<Pixel>.stride + top * targetBytesPerRow)
        for _ in top..<bottom {
          to.storeBytes(of: from.loadUnaligned(as: Pixel.self), as: Pixel.self)
          from += rowStep
          to += targetBytesPerRow
        }
      }
    }
  }
}
