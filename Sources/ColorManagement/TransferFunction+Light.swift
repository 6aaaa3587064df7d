import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension TransferFunction {
  /// The light of a value from 0 to 1, as a share of white. What is brighter than white, in a high dynamic range, is
  /// brought below it.
  func light(of value: Double) -> Double {
    switch self {
    case .sRGB: value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    case .bt709: value < 0.081242858 ? value / 4.5 : pow((value + 0.099296827) / 1.099296827, 1 / 0.45)
    case .smpte240: value < 0.0912 ? value / 4 : pow((value + 0.1115) / 1.1115, 1 / 0.45)
    case .smpte428: min(pow(value, 2.6) * 52.37 / 48, 1)
    case .power(let exponent): pow(value, exponent)
    case .pq: Self.toneMapped(Self.pqLuminance(of: value) / Self.referenceWhite)
    case .hlg: Self.toneMapped(Self.hlgLuminance(of: value) / Self.referenceWhite)
    }
  }

  /// The luminance in cd/m² of graphics white in a picture of high dynamic range (ITU-R BT.2408, 2.1).
  static let referenceWhite = 203.0

  /// The luminance above which all is white: that of the display which BT.2100 takes for hybrid log-gamma.
  static let peak = 1000.0

  /// ITU-R BT.2100, table 4.
  static func pqLuminance(of value: Double) -> Double {
    let (m1, m2) = (2610.0 / 16_384, 2523.0 / 4096 * 128)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    let root = pow(value, 1 / m2)
    return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
  }

  /// ITU-R BT.2100, table 5, for a display of 1,000 cd/m². Its gamma of 1.2 is that of luminance; for each of red, green and
  /// blue alone it is right for greys, and makes colours a little stronger.
  static func hlgLuminance(of value: Double) -> Double {
    let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
    let scene = value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    return peak * pow(scene, 1.2)
  }

  /// Light, as a share of graphics white, on a display without anything above white: unchanged to a half of white, from
  /// there on along a curve that goes on with the same slope and reaches white at the peak.
  static func toneMapped(_ light: Double) -> Double {
    let knee = 0.5
    guard light > knee else { return light }
    // With x the distance from the knee, in rooms of 1 − knee: x(1 + x/m²)/(1 + x) is 1 at x = m and has slope 1 at 0.
    let room = 1 - knee
    let (x, m) = ((light - knee) / room, (peak / referenceWhite - knee) / room)
    return x >= m ? 1 : knee + room * x * (1 + x / (m * m)) / (1 + x)
  }
}
