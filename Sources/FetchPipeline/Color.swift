/// A colour in sRGB, not linear, alpha straight.
public struct Color: Sendable, Hashable {
  /// Red, 0…255.
  public var red: UInt8
  /// Green, 0…255.
  public var green: UInt8
  /// Blue, 0…255.
  public var blue: UInt8
  /// Opacity, 0…255.
  public var alpha: UInt8

  /// A colour.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// White.
  public static let white = Color(red: 255, green: 255, blue: 255)
  /// Black.
  public static let black = Color(red: 0, green: 0, blue: 0)
  /// Nothing.
  public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)

  /// The colour that a CSS text writes: `#rgb`, `#rrggbb`, `#rrggbbaa`, `transparent`, `white`, `black`.
  public init?(css text: String) {
    switch text {
    case "white": self = .white
    case "black": self = .black
    case "transparent": self = .transparent
    default:
      let digits = text.dropFirst().utf8.compactMap(\.hexDigitValue)
      guard text.first == "#", digits.count == text.utf8.count - 1 else { return nil }
      switch digits.count {
      case 3: self.init(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
      case 6, 8:
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
      default: return nil
      }
    }
  }
}

extension Color: CustomStringConvertible {
  /// `#rrggbb`, or `#rrggbbaa` where it is not opaque.
  public var description: String {
    "#"
      + [red, green, blue, alpha].prefix(alpha == 255 ? 3 : 4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }
}

extension Color: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType(
      "colour",
      schema: [
        "type": "string", "pattern": "^(#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?|transparent|white|black)$",
      ])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Color? {
    if case .string(let text) = json, let color = Color(css: text) { return color }
    scope.reportMismatch(json, expected: "a colour: #rgb, #rrggbb, #rrggbbaa, transparent, white or black")
    return nil
  }

  /// As a configuration writes it.
  public var json: JSONValue { .string(description) }
}
