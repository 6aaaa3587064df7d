import FetchPipeline

/// The shape of a picture: `16:9`.
public struct AspectRatio: Sendable, Hashable {
  /// The horizontal part, 1…1,000,000.
  public let width: Int
  /// The vertical part, 1…1,000,000.
  public let height: Int

  /// A shape; nil where a part is out of range.
  public init?(width: Int, height: Int) {
    guard (1...1_000_000).contains(width), (1...1_000_000).contains(height) else { return nil }
    self.width = width
    self.height = height
  }

  /// The largest size of this shape in `size`, the shorter side rounded half up and at least 1; nil above 2³¹ − 1.
  func largest(in size: PixelSize) -> PixelSize? {
    guard (1...Ratio.most).contains(size.width), (1...Ratio.most).contains(size.height) else { return nil }
    if size.width * height > size.height * width {
      let across = Ratio(numerator: width, denominator: height).scaling(size.height) ?? size.width
      return PixelSize(width: min(across, size.width), height: size.height)
    }
    let down = Ratio(numerator: height, denominator: width).scaling(size.width) ?? size.height
    return PixelSize(width: size.width, height: min(down, size.height))
  }
}

extension AspectRatio: ConfigurationValue {
  /// What is accepted.
  public static var configurationType: ConfigurationType {
    ConfigurationType("aspect ratio", schema: ["type": "string", "pattern": "^[1-9][0-9]*:[1-9][0-9]*$"])
  }

  /// The value that `json` writes; nil after the mistake was noted.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> AspectRatio? {
    if case .string(let text) = json {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
      if parts.count == 2, isPlain, let width = Int(parts[0]), let height = Int(parts[1]),
        let ratio = AspectRatio(width: width, height: height)
      {
        return ratio
      }
    }
    scope.reportMismatch(json, expected: "an aspect ratio: \"16:9\"")
    return nil
  }

  /// The value as a configuration would write it.
  public var json: JSONValue { .string("\(width):\(height)") }
}
