import FetchPipeline

/// The mark at its place in a picture.
struct Stamp {
  private let cells: [[Bool]]
  /// Pixels of a cell, in both directions.
  private let cellSize: Double
  private let left: Int
  private let top: Int
  /// The part of the picture that it covers.
  let columns: Range<Int>
  let rows: Range<Int>

  init(_ watermark: Watermark, on picture: PixelSize) {
    let width = watermark.mark.map(\.count).max() ?? 0
    cells = watermark.mark.map { row in
      let cells = row.map { $0 != "." && $0 != " " }
      return cells + Array(repeating: false, count: width - cells.count)
    }
    let shorter = Double(min(picture.width, picture.height))
    cellSize = shorter * watermark.size / Double(max(width, cells.count, 1))
    let size = (
      width: Int((cellSize * Double(width)).rounded(.up)), height: Int((cellSize * Double(cells.count)).rounded(.up))
    )
    let margin = Int((shorter * watermark.margin).rounded())
    switch watermark.position {
    case .topLeft, .bottomLeft: left = margin
    case .topRight, .bottomRight: left = picture.width - size.width - margin
    case .center: left = (picture.width - size.width) / 2
    }
    switch watermark.position {
    case .topLeft, .topRight: top = margin
    case .bottomLeft, .bottomRight: top = picture.height - size.height - margin
    case .center: top = (picture.height - size.height) / 2
    }
    columns = (left..<(left + size.width)).clamped(to: 0..<picture.width)
    rows = (top..<(top + size.height)).clamped(to: 0..<picture.height)
  }

  /// Whether the mark paints that pixel: whether it does at the pixel's middle.
  func isPainted(_ x: Int, _ y: Int) -> Bool {
    let (row, column) = (Int((Double(y - top) + 0.5) / cellSize), Int((Double(x - left) + 0.5) / cellSize))
    return cells.indices.contains(row) && cells[row].indices.contains(column) && cells[row][column]
  }
}

/// A colour as the samples of a layout, laid over what is there.
struct Paint {
  private let samples: [Double]
  private let opacity: Double
  private let hasAlpha: Bool

  init(color: Color, opacity: Double, layout: PixelLayout) {
    let colors = [color.red, color.green, color.blue].map(Double.init)
    // Luma of ITU-R BT.601.
    let isGray = layout == .gray || layout == .grayAlpha
    samples = isGray ? [0.299 * colors[0] + 0.587 * colors[1] + 0.114 * colors[2]] : colors
    self.opacity = opacity * Double(color.alpha) / 255
    hasAlpha = layout.hasAlpha
  }

  /// Lays the colour over the pixel at `offset` (Porter and Duff's "over", alpha straight).
  func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let below = hasAlpha ? Double(bytes[offset + samples.count]) / 255 : 1
    let alpha = opacity + below * (1 - opacity)
    guard alpha > 0 else { return }
    for (channel, sample) in samples.enumerated() {
      let value = (sample * opacity + Double(bytes[offset + channel]) * below * (1 - opacity)) / alpha
      bytes[offset + channel] = UInt8(min(max(value.rounded(), 0), 255))
    }
    if hasAlpha { bytes[offset + samples.count] = UInt8(min((alpha * 255).rounded(), 255)) }
  }
}
