import FetchPipeline

/// Which version of the Internet Protocol is used.
public enum IPVersion: String, Sendable, Hashable, CaseIterable {
  /// Either.
  case any
  /// Version 4 only.
  case v4 = "4"
  /// Version 6 only.
  case v6 = "6"

  /// Whether an address is of the version.
  func includes(_ address: IPAddress) -> Bool {
    switch (self, address) {
    case (.any, _), (.v4, .v4), (.v6, .v6): true
    default: false
    }
  }
}

extension IPVersion: ConfigurationValue {
  /// A word, or a number.
  public static var configurationType: ConfigurationType {
    ConfigurationType("\"any\", 4, 6", schema: ["enum": ["any", 4, 6, "4", "6"]])
  }

  /// Reads `"any"`, 4 or 6.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> IPVersion? {
    let word: String? =
      switch json {
      case .string(let text): text
      case .number(let number): number.integer.map(String.init)
      default: nil
      }
    if let word, let version = IPVersion(rawValue: word) { return version }
    scope.reportMismatch(json, expected: "\"any\", 4 or 6")
    return nil
  }

  /// The version as a configuration writes it.
  public var json: JSONValue {
    switch self {
    case .any: "any"
    case .v4: 4
    case .v6: 6
    }
  }
}
