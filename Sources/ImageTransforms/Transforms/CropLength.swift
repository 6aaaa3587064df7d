import FetchPipeline

/// A distance in a picture: pixels, or a share of the picture's side.
public enum CropLength: Sendable, Hashable {
  /// So many pixels.
  case pixels(Int)
  /// So many millionths of a per cent.
  case percentMillionths(Int)

  /// So many per cent, to the sixth decimal.
  public static func percent(_ value: Double) -> CropLength { .percentMillionths(Int((value * 1_000_000).rounded())) }

  /// The pixels of a side of `side`, rounded half up; nil where the product overflows.
  func pixels(of side: Int) -> Int? {
    switch self {
    case .pixels(let count): return count
    case .percentMillionths(let share):
      let whole = 100_000_000
      let (product, overflow) = side.multipliedReportingOverflow(by: share)
      if overflow { return nil }
      let (quotient, remainder) = product.quotientAndRemainder(dividingBy: whole)
      return remainder * 2 >= whole ? quotient + 1 : quotient
    }
  }
}

extension CropLength: ConfigurationValue {
  private static let mostPixels = 1_000_000

  /// What is accepted.
  public static var configurationType: ConfigurationType {
    ConfigurationType(
      "length",
      schema: [
        "type": ["integer", "string"], "minimum": 0, "maximum": .integer(mostPixels),
        "pattern": "^[0-9]+(\\.[0-9]{1,6})?%$",
      ])
  }

  /// The value that `json` writes; nil after the mistake was noted.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> CropLength? {
    switch json {
    case .number(let number):
      if let pixels = number.integer, (0...mostPixels).contains(pixels) { return .pixels(pixels) }
    case .string(let text):
      if let share = percentMillionths(text) { return .percentMillionths(share) }
    default: break
    }
    scope.reportMismatch(json, expected: "a length: pixels, or per cent of the picture as \"12.5%\"")
    return nil
  }

  /// Exact, which a floating-point number would not be.
  private static func percentMillionths(_ text: String) -> Int? {
    guard text.last == "%" else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2, (1...3).contains(whole.utf8.count) else { return nil }
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard (1...6).contains(decimals.utf8.count) else { return nil }
    let digits = whole + decimals + String(repeating: "0", count: 6 - decimals.utf8.count)
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int(digits),
      value <= 100_000_000
    else { return nil }
    return value
  }

  /// The value as a configuration would write it.
  public var json: JSONValue {
    switch self {
    case .pixels(let count): .integer(count)
    case .percentMillionths(let share): .string(JSONNumber(Double(share) / 1_000_000, decimals: 6).text + "%")
    }
  }
}
