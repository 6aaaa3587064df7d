/// A number of bytes, written as a number or with a unit: `"512KB"` is 512,000, `"512KiB"` is 524,288.
public struct ByteCount: Sendable, Hashable, Comparable {
  /// The bytes.
  public var bytes: Int

  /// That many bytes.
  public init(_ bytes: Int) {
    self.bytes = bytes
  }

  /// Thousands of bytes.
  public static func kilobytes(_ count: Int) -> ByteCount { ByteCount(count * 1000) }
  /// Millions of bytes.
  public static func megabytes(_ count: Int) -> ByteCount { ByteCount(count * 1_000_000) }
  /// Units of 1,048,576 bytes.
  public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(count * 1_048_576) }

  /// Whether the left one is fewer bytes.
  public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

  private static let units: [(name: String, factor: Int)] = [
    ("B", 1), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000),
    ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
  ]
}

extension ByteCount: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType(
      "size", schema: ["type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+(\\.[0-9]+)? ?([KMG]i?)?B$"])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> ByteCount? {
    switch json {
    case .number(let number):
      if let bytes = number.integer, bytes >= 0 { return ByteCount(bytes) }
    case .string(let text):
      let (amount, unit) = splitUnit(text)
      if ["K", "M", "G"].contains(unit.uppercased()) {
        let letter = unit.uppercased()
        scope.report("\"\(text)\": write \(letter)B (powers of 1,000) or \(letter)iB (powers of 1,024)")
        return nil
      }
      if let amount, let factor = units.first(where: { $0.name == unit })?.factor,
        let bytes = Int(exactly: (amount * Double(factor)).rounded())
      {
        return ByteCount(bytes)
      }
    default: break
    }
    scope.reportMismatch(json, expected: "a size: a number of bytes, or \"512KB\" (also MB, GB, KiB, MiB, GiB)")
    return nil
  }

  /// As a configuration writes it.
  public var json: JSONValue {
    // The unit that leaves the smallest number.
    let fitting = Self.units.filter { bytes >= $0.factor && bytes % $0.factor == 0 && $0.factor > 1 }
    guard let unit = fitting.max(by: { $0.factor < $1.factor }) else { return .integer(bytes) }
    let decimal = fitting.filter { !$0.name.contains("i") }.max { $0.factor < $1.factor } ?? unit
    let best = decimal.factor * 2 > unit.factor || bytes / decimal.factor < 1000 ? decimal : unit
    return .string("\(bytes / best.factor)\(best.name)")
  }
}

extension Duration: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType(
      "duration",
      schema: ["type": ["number", "string"], "minimum": 0, "pattern": "^[0-9]+(\\.[0-9]+)? ?(ms|s|m|h|d)$"])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Duration? {
    switch json {
    case .number(let number):
      if let seconds = number.double, seconds >= 0, seconds < 1e12 { return .seconds(seconds) }
    case .string(let text):
      let (amount, unit) = splitUnit(text)
      if let amount, let factor = units.first(where: { $0.name == unit })?.seconds, amount * factor < 1e12 {
        return .seconds(amount * factor)
      }
    default: break
    }
    scope.reportMismatch(json, expected: "a duration: seconds, or \"250ms\" (also s, m, h, d)")
    return nil
  }

  /// As a configuration writes it.
  public var json: JSONValue {
    let seconds = inSeconds
    if seconds == 0 { return .string("0s") }
    let milliseconds = Int(exactly: (seconds * 1000).rounded())
    if let milliseconds, abs(seconds * 1000 - Double(milliseconds)) < 1e-6,
      let unit = Self.units.last(where: { milliseconds % Int($0.seconds * 1000) == 0 })
    {
      return .string("\(milliseconds / Int(unit.seconds * 1000))\(unit.name)")
    }
    return .number(JSONNumber(seconds, decimals: 6))
  }

  /// The duration in seconds.
  public var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  private static let units: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
  ]
}

/// The number that a text starts with, and what follows it.
private func splitUnit(_ text: String) -> (amount: Double?, unit: String) {
  let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
  return (Double(digits), String(text.dropFirst(digits.count).drop { $0 == " " }))
}
