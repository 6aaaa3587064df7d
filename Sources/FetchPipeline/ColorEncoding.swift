/// What RGB or grey values mean, in numbers and without an ICC profile: where the colours lie, and how much light a value is.
public struct ColorEncoding: Sendable, Hashable {
  /// The colours of (1, 0, 0), (0, 1, 0), (0, 0, 1) and (1, 1, 1); grey pictures have no use for them.
  public var primaries: ColorPrimaries
  /// How much light a value is.
  public var transfer: TransferFunction
  /// Whether black and white are 16/255 and 235/255 (of 16 bits, 4096 and 60160), not the ends of the range.
  public var isNarrowRange: Bool

  /// An encoding.
  public init(primaries: ColorPrimaries, transfer: TransferFunction, isNarrowRange: Bool = false) {
    self.primaries = primaries
    self.transfer = transfer
    self.isNarrowRange = isNarrowRange
  }

  /// Whether it is sRGB, to within what files round.
  public var isSRGB: Bool { transfer == .sRGB && !isNarrowRange && primaries.isClose(to: .sRGB) }
}

/// A colour without its brightness: x and y of CIE 1931.
public struct Chromaticity: Sendable, Hashable {
  /// The share of X in X + Y + Z.
  public var x: Double
  /// The share of Y.
  public var y: Double

  /// A chromaticity.
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// The white of daylight at 6,504 K, as ITU-R BT.709 rounds it.
  public static let d65 = Chromaticity(0.3127, 0.3290)
}

/// The chromaticities of an RGB space.
public struct ColorPrimaries: Sendable, Hashable {
  /// Of (1, 0, 0).
  public var red: Chromaticity
  /// Of (0, 1, 0).
  public var green: Chromaticity
  /// Of (0, 0, 1).
  public var blue: Chromaticity
  /// Of (1, 1, 1).
  public var white: Chromaticity

  /// Primaries.
  public init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity = .d65) {
    self.red = red
    self.green = green
    self.blue = blue
    self.white = white
  }

  /// sRGB and ITU-R BT.709.
  public static let sRGB = ColorPrimaries(
    red: Chromaticity(0.64, 0.33), green: Chromaticity(0.30, 0.60), blue: Chromaticity(0.15, 0.06))

  /// Whether no coordinate differs by more than a thousandth.
  public func isClose(to other: ColorPrimaries) -> Bool {
    zip(coordinates, other.coordinates).allSatisfy { abs($0 - $1) <= 0.001 }
  }

  /// Whether positive amounts of the three make the white: if not, no RGB space has them.
  public var isPossible: Bool {
    guard coordinates.allSatisfy({ $0.isFinite && abs($0) <= 4 }), white.y > 1e-4 else { return false }
    let (r, g, b, w) = (red, green, blue, white)
    // By Cramer's rule, with the columns (x, y, 1 − x − y), of which the last row may be replaced by ones.
    func determinant(_ p: Chromaticity, _ q: Chromaticity, _ s: Chromaticity) -> Double {
      p.x * (q.y - s.y) - q.x * (p.y - s.y) + s.x * (p.y - q.y)
    }
    let whole = determinant(r, g, b)
    guard abs(whole) > 1e-5 else { return false }
    return [determinant(w, g, b), determinant(r, w, b), determinant(r, g, w)].allSatisfy { $0 / whole > 1e-5 }
  }

  private var coordinates: [Double] { [red, green, blue, white].flatMap { [$0.x, $0.y] } }
}

/// How much light a value from 0 to 1 is.
public enum TransferFunction: Sendable, Hashable {
  /// IEC 61966-2-1.
  case sRGB
  /// ITU-R BT.709, as a camera's curve read backwards.
  case bt709
  /// SMPTE ST 240.
  case smpte240
  /// SMPTE ST 428-1.
  case smpte428
  /// The value to this power; 1 is light itself.
  case power(Double)
  /// The perceptual quantiser of ITU-R BT.2100: up to 10,000 cd/m².
  case pq
  /// Hybrid log-gamma of ITU-R BT.2100.
  case hlg

  /// Whether white is not the brightest that can be.
  public var isHighDynamicRange: Bool { self == .pq || self == .hlg }
}
