import FetchPipeline

/// Why a name template cannot be used, for a person.
public struct NameTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public let description: String
}

extension NameTemplate {
  /// The tokens that take no argument, by name.
  private static let tokens: [(name: String, part: Part)] = [
    ("id", .id), ("name", .name), ("host", .host), ("hash", .hash(16)), ("row", .row), ("rendition", .rendition),
    ("width", .width), ("height", .height), ("ext", .ext),
  ]

  /// Room for what a component says beside its fixed text: a suffix for a taken name, numbers, an extension.
  private static let longestFixedText = 160

  /// Parses a template.
  public init(_ text: String) throws(NameTemplateError) {
    guard !text.isEmpty else { throw NameTemplateError(description: "a name is expected") }
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      throw NameTemplateError(description: "a control character stands in the name")
    }
    var components: [[Part]] = []
    for component in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard !component.isEmpty else {
        throw NameTemplateError(
          description: "\"\(text)\": a name is expected before and after each \"/\"; it is a path in the output folder")
      }
      components.append(try Self.parts(of: component))
    }
    if components.count > 1, case .literal(let name)? = components[0].first, components[0].count == 1,
      StateFileNames.isReserved(name)
    {
      throw NameTemplateError(description: "\"\(text)\": \"\(name)\" is a file of the run's own, and no folder")
    }
    self.init(text: text, components: components)
  }

  private static func parts(of component: Substring) throws(NameTemplateError) -> [Part] {
    var parts: [Part] = []
    var rest = component
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
      guard rest[brace] == "{" else {
        throw NameTemplateError(description: "\"\(component)\": \"}\" without \"{\"")
      }
      let inside = rest[rest.index(after: brace)...]
      guard let end = inside.firstIndex(of: "}") else {
        throw NameTemplateError(description: "\"\(component)\": \"{\" without \"}\"")
      }
      parts.append(try token(inside[..<end]))
      rest = inside[inside.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    try check(parts, component)
    return parts
  }

  private static func token(_ text: Substring) throws(NameTemplateError) -> Part {
    if let known = tokens.first(where: { $0.name == text }) { return known.part }
    let pieces = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if pieces.count == 2, pieces[0] == "hash" {
      guard let digits = Int(pieces[1]), (1...64).contains(digits) else {
        throw NameTemplateError(
          description: "\"{\(text)}\": a number of digits from 1 to 64 is expected after \"hash:\"")
      }
      return .hash(digits)
    }
    if pieces.count == 2, tokens.contains(where: { $0.name == pieces[0] }) {
      throw NameTemplateError(description: "\"{\(text)}\": \"\(pieces[0])\" takes no number")
    }
    let hint = NearestName.hint(for: String(text), among: tokens.map(\.name))
    throw NameTemplateError(description: "\"{\(text)}\" is not a token of names\(hint)")
  }

  private static func check(_ parts: [Part], _ component: Substring) throws(NameTemplateError) {
    if component == "." || component == ".." {
      throw NameTemplateError(description: "\"\(component)\" leaves the output folder's own names")
    }
    if component.hasPrefix(StateFileNames.hiddenPrefix) {
      throw NameTemplateError(
        description: "\"\(component)\": names that start with \"\(StateFileNames.hiddenPrefix)\" are the run's own")
    }
    let fixed = parts.reduce(0) { length, part in
      switch part {
      case .literal(let text): length + text.utf8.count
      case .hash(let digits): length + digits
      default: length
      }
    }
    if fixed > longestFixedText {
      throw NameTemplateError(
        description: "\"\(component)\": \(fixed) bytes of text and hash are too long; at most \(longestFixedText)")
    }
  }
}

extension NameTemplate: ConfigurationValue {
  /// A string with tokens.
  public static var configurationType: ConfigurationType {
    ConfigurationType("name template", schema: ["type": "string", "minLength": 1])
  }

  /// Reads a template, or notes what is wrong with it.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> NameTemplate? {
    guard case .string(let text) = json else {
      scope.reportMismatch(json, expected: "a name template, such as \"\(standard.text)\"")
      return nil
    }
    do {
      return try NameTemplate(text)
    } catch {
      scope.report(error.description)
      return nil
    }
  }

  /// The template as it was written.
  public var json: JSONValue { .string(text) }
}
