import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Resampling as it is defined, in two dimensions and doubles, without anything that makes it fast.
///
/// A target pixel is Σ w(x) w(y) sample / Σ w(x) w(y) over all samples of which some area lies in the window, where w is the
/// kernel of the distance of the centres, times the share of the sample inside the window.
enum ReferenceResampling {
  static func lanczos3(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(x) >= 3 { return 0 }
    return (sin(.pi * x) / (.pi * x)) * (sin(.pi * x / 3) / (.pi * x / 3))
  }

  static func mitchell(_ t: Double) -> Double {
    let x = abs(t)
    if x < 1 { return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6 }
    if x < 2 { return (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6 }
    return 0
  }

  static func catrom(_ t: Double) -> Double {
    let x = abs(t)
    if x < 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
    if x < 2 { return -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 }
    return 0
  }

  static func triangle(_ x: Double) -> Double { max(1 - abs(x), 0) }

  /// The weights of all samples of an axis for the target coordinate whose centre is at `center`.
  static func weights(
    center: Double, step: Double, window: ClosedRange<Double>, samples: Int, kernel: (Double) -> Double
  ) -> [Double] {
    let width = max(step, 1)
    let raw = (0..<samples).map { index in
      let share = min(Double(index + 1), window.upperBound) - max(Double(index), window.lowerBound)
      return share <= 0 ? 0 : kernel((Double(index) + 0.5 - center) / width) * share
    }
    let sum = raw.reduce(0, +)
    return raw.map { $0 / sum }
  }

  /// One plane, its channels each for itself, as unrounded numbers.
  static func resample(
    _ samples: [Double], columns: Int, rows: Int, channels: Int = 1, window: PixelRect? = nil, to size: PixelSize,
    kernel: (Double) -> Double = lanczos3
  ) -> [Double] {
    let window = window ?? PixelRect(x: 0, y: 0, width: Double(columns), height: Double(rows))
    let (stepX, stepY) = (window.width / Double(size.width), window.height / Double(size.height))
    let across = (0..<size.width).map { x in
      weights(
        center: window.x + (Double(x) + 0.5) * stepX, step: stepX, window: window.x...(window.x + window.width),
        samples: columns, kernel: kernel)
    }
    let down = (0..<size.height).map { y in
      weights(
        center: window.y + (Double(y) + 0.5) * stepY, step: stepY, window: window.y...(window.y + window.height),
        samples: rows, kernel: kernel)
    }
    var result: [Double] = []
    for y in 0..<size.height {
      let usedRows = (0..<rows).filter { down[y][$0] != 0 }
      for x in 0..<size.width {
        let usedColumns = (0..<columns).filter { across[x][$0] != 0 }
        for channel in 0..<channels {
          var sum = 0.0
          for row in usedRows {
            for column in usedColumns {
              sum += down[y][row] * across[x][column] * samples[(row * columns + column) * channels + channel]
            }
          }
          result.append(sum)
        }
      }
    }
    return result
  }
}
