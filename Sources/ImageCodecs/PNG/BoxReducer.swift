/// Averages squares of pixels while rows are read, so that a picture is never held in full.
///
/// Each sample of the result stands for `factor` columns and rows; beyond the right edge the last column goes on. With alpha
/// the averages are of colours multiplied by it, and so is the result.
struct BoxReducer {
  private let width: Int
  private let channels: Int
  private let hasAlpha: Bool
  private let factor: Int
  /// The sums of each column over the rows so far; of colours times alpha where there is alpha.
  private var sums: [UInt64]

  init(width: Int, channels: Int, hasAlpha: Bool, factor: Int) {
    self.width = width
    self.channels = channels
    self.hasAlpha = hasAlpha
    self.factor = factor
    sums = [UInt64](repeating: 0, count: width * channels)
  }

  /// Adds a row of `width` pixels.
  mutating func add<Sample: FixedWidthInteger & UnsignedInteger>(_ row: UnsafePointer<Sample>) {
    let count = width * channels
    sums.withUnsafeMutableBufferPointer { sums in
      if !hasAlpha {
        for at in 0..<count { sums[at] &+= UInt64(row[at]) }
        return
      }
      let colors = channels - 1
      var at = 0
      for _ in 0..<width {
        let alpha = UInt64(row[at + colors])
        for channel in 0..<colors { sums[at + channel] &+= UInt64(row[at + channel]) &* alpha }
        sums[at + colors] &+= alpha
        at += channels
      }
    }
  }

  /// Writes a sample for each square, rounded, and begins the next row of squares.
  mutating func finishRow<Sample: FixedWidthInteger & UnsignedInteger>(into target: UnsafeMutablePointer<Sample>) {
    let area = UInt64(factor * factor)
    let full = area &* UInt64(Sample.max)
    let cells = (width + factor - 1) / factor
    sums.withUnsafeMutableBufferPointer { sums in
      for cell in 0..<cells {
        for channel in 0..<channels {
          var sum: UInt64 = 0
          for column in (cell * factor)..<((cell + 1) * factor) {
            sum &+= sums[min(column, width - 1) * channels + channel]
          }
          let divisor = hasAlpha && channel < channels - 1 ? full : area
          target[cell * channels + channel] = Sample(truncatingIfNeeded: (sum &+ divisor / 2) / divisor)
        }
      }
      for at in sums.indices { sums[at] = 0 }
    }
  }
}
