/// A type that an option of a configuration can have.
public protocol ConfigurationValue: Sendable {
  /// What the type is called and which JSON it accepts.
  static var configurationType: ConfigurationType { get }

  /// The value that `json` writes; nil after the mistake was noted in `scope`.
  static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Self?

  /// The value as a configuration would write it; `null` for none.
  var json: JSONValue { get }

  /// Notes what is wrong with a value that was made in code. By default what a configuration would be told that writes it.
  func noteProblems(in scope: ConfigurationScope)
}

extension ConfigurationValue {
  /// What a configuration would be told that writes the value; nothing where it would write none.
  public func noteProblems(in scope: ConfigurationScope) {
    let json = json
    if json != .null { _ = Self.read(json, in: scope) }
  }
}

/// How a type is described to people and to JSON Schema.
public struct ConfigurationType: Sendable, Hashable {
  /// What it is called: `duration`, `"inside", "cover" or "fill"`.
  public let name: String
  /// The schema of what it accepts.
  public let schema: JSONValue

  /// A type of that name.
  public init(_ name: String, schema: JSONValue) {
    self.name = name
    self.schema = schema
  }
}

extension Bool: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("boolean", schema: ["type": "boolean"]) }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Bool? {
    guard case .bool(let value) = json else {
      scope.reportMismatch(json, expected: "true or false")
      return nil
    }
    return value
  }

  /// As a configuration writes it.
  public var json: JSONValue { .bool(self) }
}

extension Int: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("integer", schema: ["type": "integer"]) }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Int? {
    guard case .number(let number) = json, let value = number.integer else {
      scope.reportMismatch(json, expected: "an integer")
      return nil
    }
    return value
  }

  /// As a configuration writes it.
  public var json: JSONValue { .integer(self) }
}

extension Double: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("number", schema: ["type": "number"]) }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Double? {
    guard case .number(let number) = json, let value = number.double, value.isFinite else {
      scope.reportMismatch(json, expected: "a number")
      return nil
    }
    return value
  }

  /// As a configuration writes it.
  public var json: JSONValue { .number(JSONNumber(self, decimals: 6)) }

  /// Notes what no configuration can write.
  public func noteProblems(in scope: ConfigurationScope) {
    if !isFinite { scope.report("\(self) is not a number") }
  }
}

extension String: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("string", schema: ["type": "string"]) }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> String? {
    guard case .string(let value) = json else {
      scope.reportMismatch(json, expected: "a string")
      return nil
    }
    return value
  }

  /// As a configuration writes it.
  public var json: JSONValue { .string(self) }
}

extension JSONValue: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType("any value", schema: .object(JSONObject()))
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> JSONValue? { json }

  /// As a configuration writes it.
  public var json: JSONValue { self }
}

extension JSONObject: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("object", schema: ["type": "object"]) }

  /// The value that JSON writes; strings in it are expanded.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> JSONObject? {
    guard case .object(let object) = json else {
      scope.reportMismatch(json, expected: "an object")
      return nil
    }
    let before = scope.problems.count
    let members = object.members.compactMap { member in
      scope.member(member.name).expanding(member.value).map { Member(name: member.name, value: $0) }
    }
    return scope.problems.count == before ? JSONObject(members) : nil
  }

  /// As a configuration writes it.
  public var json: JSONValue { .object(self) }
}

extension Optional: ConfigurationValue where Wrapped: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { Wrapped.configurationType }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Wrapped?? {
    Wrapped.read(json, in: scope).map(Optional.some)
  }

  /// As a configuration writes it.
  public var json: JSONValue { self?.json ?? .null }

  /// Notes what is wrong with the value, where there is one.
  public func noteProblems(in scope: ConfigurationScope) { self?.noteProblems(in: scope) }
}

/// A list; one value alone is a list of one.
extension Array: ConfigurationValue where Element: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    let element = Element.configurationType
    return ConfigurationType(
      "list of \(element.name)",
      schema: ["anyOf": [element.schema, ["type": "array", "items": element.schema]]])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> [Element]? {
    guard case .array(let elements) = json else { return Element.read(json, in: scope).map { [$0] } }
    let read = elements.enumerated().map { index, element -> Element? in
      let place = scope.element(index)
      return place.expanding(element).flatMap { Element.read($0, in: place) }
    }
    let values = read.compactMap { $0 }
    return values.count == read.count ? values : nil
  }

  /// As a configuration writes it.
  public var json: JSONValue { .array(map(\.json)) }

  /// Notes what is wrong with the elements.
  public func noteProblems(in scope: ConfigurationScope) {
    for (index, element) in enumerated() { element.noteProblems(in: scope.element(index)) }
  }
}

/// One of a few words.
extension ConfigurationValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    let words = allCases.map(\.rawValue)
    return ConfigurationType(
      words.map { "\"\($0)\"" }.joined(separator: ", "), schema: ["enum": .array(words.map(JSONValue.string))])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Self? {
    if case .string(let word) = json, let value = Self(rawValue: word) { return value }
    if case .string(let word) = json {
      scope.report("\"\(word)\" is not known here" + NearestName.hint(for: word, among: allCases.map(\.rawValue)))
    } else {
      scope.reportMismatch(json, expected: "one of \(configurationType.name)")
    }
    return nil
  }

  /// As a configuration writes it.
  public var json: JSONValue { .string(rawValue) }
}

extension CacheMode: ConfigurationValue {}
