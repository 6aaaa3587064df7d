/// A type whose properties can be set from a configuration.
///
/// It declares each option once, and from that come decoding, errors for what is not known, the list of stages and the
/// JSON Schema. A default is what the property has after `init()`.
public protocol OptionsDeclaring: Sendable {
  /// A value with the default of every option.
  init()

  /// The options, in the order in which they are shown.
  static var options: [OptionDeclaration<Self>] { get }

  /// Every option with its value, as a configuration would write it.
  var effectiveOptions: JSONObject { get }

  /// Notes mistakes that only several options together make. Called when each for itself is right.
  func validate(in scope: ConfigurationScope)
}

extension OptionsDeclaring {
  /// Nothing to note.
  public func validate(in scope: ConfigurationScope) {}
}

/// One option: its name, type and meaning, and how it is set.
public struct OptionDeclaration<Root: OptionsDeclaring>: Sendable {
  /// The name in a configuration.
  public let name: String
  /// What it accepts.
  public let type: ConfigurationType
  /// What it means, in a sentence.
  public let meaning: String
  /// Whether leaving it out is a mistake.
  public let isRequired: Bool
  let read: @Sendable (JSONValue, inout Root, ConfigurationScope) -> Void
  let write: @Sendable (Root) -> JSONValue
  let noteProblems: @Sendable (Root, ConfigurationScope) -> Void

  /// An option that is not a property.
  init(
    _ name: String, type: ConfigurationType, _ meaning: String, required: Bool,
    read: @escaping @Sendable (JSONValue, inout Root, ConfigurationScope) -> Void,
    write: @escaping @Sendable (Root) -> JSONValue
  ) {
    self.name = name
    self.type = type
    self.meaning = meaning
    isRequired = required
    self.read = read
    self.write = write
    // What sets it reads JSON, in code as well.
    noteProblems = { _, _ in }
  }

  /// The option that sets a property.
  ///
  /// - Parameter check: says what is wrong with a value, or nil.
  public init<Value: ConfigurationValue>(
    _ name: String, _ property: WritableKeyPath<Root, Value> & Sendable, _ meaning: String, required: Bool = false,
    check: (@Sendable (Value) -> String?)? = nil
  ) {
    self.init(name, property, meaning, type: Value.configurationType, required: required, check: check)
  }

  private init<Value: ConfigurationValue>(
    _ name: String, _ property: WritableKeyPath<Root, Value> & Sendable, _ meaning: String, type: ConfigurationType,
    required: Bool, check: (@Sendable (Value) -> String?)?
  ) {
    self.name = name
    self.meaning = meaning
    self.type = type
    isRequired = required
    read = { json, root, scope in
      guard let json = scope.expanding(json), let value = Value.read(json, in: scope) else { return }
      if let problem = check?(value) {
        scope.report(problem)
      } else {
        root[keyPath: property] = value
      }
    }
    write = { $0[keyPath: property].json }
    noteProblems = { root, scope in
      let value = root[keyPath: property]
      if let problem = check?(value) {
        scope.report(problem)
      } else {
        value.noteProblems(in: scope)
      }
    }
  }

  /// The option that sets a property to a value in a range.
  public init<Value: ConfigurationValue & Comparable>(
    _ name: String, _ property: WritableKeyPath<Root, Value> & Sendable, in range: ClosedRange<Value>,
    _ meaning: String,
    required: Bool = false
  ) {
    self.init(name, property, meaning, type: Self.type(range), required: required) { Self.outside(range, $0) }
  }

  /// The option that sets a property, which may be without a value, to one in a range.
  public init<Value: ConfigurationValue & Comparable>(
    _ name: String, _ property: WritableKeyPath<Root, Value?> & Sendable, in range: ClosedRange<Value>,
    _ meaning: String, required: Bool = false
  ) {
    self.init(name, property, meaning, type: Self.type(range), required: required) {
      $0.flatMap { Self.outside(range, $0) }
    }
  }

  /// The type, its schema with the bounds where they are numbers.
  private static func type<Value: ConfigurationValue>(_ range: ClosedRange<Value>) -> ConfigurationType {
    let type = Value.configurationType
    guard case .object(var schema) = type.schema, case .number = range.lowerBound.json,
      case .number = range.upperBound.json, case .string? = schema["type"]
    else { return type }
    schema.append("minimum", range.lowerBound.json)
    schema.append("maximum", range.upperBound.json)
    return ConfigurationType(type.name, schema: .object(schema))
  }

  private static func outside<Value: ConfigurationValue & Comparable>(
    _ range: ClosedRange<Value>, _ value: Value
  ) -> String? {
    if range.contains(value) { return nil }
    let (low, high) = (range.lowerBound.json.compactText, range.upperBound.json.compactText)
    return "\(value.json.compactText) is not between \(low) and \(high)"
  }
}

/// What is known about an option without its type.
public struct OptionDescription: Sendable, Hashable {
  /// The name in a configuration.
  public let name: String
  /// What it accepts.
  public let type: ConfigurationType
  /// The default; `null` for none.
  public let defaultValue: JSONValue
  /// What it means, in a sentence.
  public let meaning: String
  /// Whether leaving it out is a mistake.
  public let isRequired: Bool
}

extension OptionsDeclaring {
  /// The options as they are shown to people.
  public static var optionDescriptions: [OptionDescription] { descriptions(of: options, defaults: Self()) }

  static func descriptions(of options: [OptionDeclaration<Self>], defaults: Self) -> [OptionDescription] {
    options.map { option in
      OptionDescription(
        name: option.name, type: option.type, defaultValue: option.write(defaults), meaning: option.meaning,
        isRequired: option.isRequired)
    }
  }

  /// Every option with its value, as a configuration would write it.
  public var effectiveOptions: JSONObject {
    JSONObject(Self.options.map { JSONObject.Member(name: $0.name, value: $0.write(self)) })
  }

  /// Notes what is wrong with options that were set in code.
  func noteProblemsOfOptions(in scope: ConfigurationScope) {
    let before = scope.problems.count
    for option in Self.options { option.noteProblems(self, scope.member(option.name)) }
    if scope.problems.count == before { validate(in: scope) }
  }

  /// The JSON Schema of an object with these options, and no others.
  public static var schema: JSONValue { OptionDescription.schema(of: optionDescriptions) }

  /// Reads those members that `isOurs` admits; notes what is not known, not right or missing.
  static func read(
    _ object: JSONObject, in scope: ConfigurationScope, owner: String, alsoKnown: [String] = [],
    skipping: (String) -> Bool = { _ in false }
  ) -> Self {
    read(object, into: Self(), options: options, in: scope, owner: owner, alsoKnown: alsoKnown, skipping: skipping)
  }

  /// Sets those of `options` that the object has.
  static func read(
    _ object: JSONObject, into defaults: Self, options: [OptionDeclaration<Self>], in scope: ConfigurationScope,
    owner: String, alsoKnown: [String], skipping: (String) -> Bool
  ) -> Self {
    var value = defaults
    let before = scope.problems.count
    for member in object.members where !skipping(member.name) {
      if let option = options.first(where: { $0.name == member.name }) {
        option.read(member.value, &value, scope.member(member.name))
      } else {
        let near = NearestName.hint(for: member.name, among: options.map(\.name) + alsoKnown)
        let place = scope.registry.placeHint(for: member.name)
        let hint = place.isEmpty || near.contains("did you mean") ? near : place
        scope.member(member.name).report("unknown option of \(owner)\(hint)")
      }
    }
    for option in options where option.isRequired && object[option.name] == nil {
      scope.report("\"\(option.name)\" is missing: \(option.meaning)")
    }
    if scope.problems.count == before { value.validate(in: scope) }
    return value
  }
}

extension OptionDescription {
  /// The schema of an object with these options, and no others.
  static func schema(of options: [OptionDescription]) -> JSONValue {
    let properties = options.map { JSONObject.Member(name: $0.name, value: $0.schema) }
    return [
      "type": "object", "properties": .object(JSONObject(properties)),
      "required": .array(options.filter(\.isRequired).map { .string($0.name) }), "additionalProperties": false,
    ]
  }

  /// The schema of the option, with its meaning and default. A string with `${NAME}` in it may stand for any value but an
  /// object.
  public var schema: JSONValue {
    guard case .object(var members) = type.schema else { return type.schema }
    if members["type"] != "string", members["type"] != "object", !members.members.isEmpty {
      members = ["anyOf": [type.schema, ["type": "string", "pattern": "\\$\\{[^}]+\\}"]]]
    }
    members.append("description", .string(meaning))
    if defaultValue != .null { members.append("default", defaultValue) }
    return .object(members)
  }
}

/// A group of options inside another one: an object of its own.
public protocol ConfigurationGroup: OptionsDeclaring, ConfigurationValue {
  /// What the group is called in errors.
  static var groupName: String { get }
}

extension ConfigurationGroup {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType { ConfigurationType("object", schema: schema) }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> Self? {
    guard case .object(let object) = json else {
      scope.reportMismatch(json, expected: "an object of \(Self.options.map(\.name).joined(separator: ", "))")
      return nil
    }
    return read(object, in: scope, owner: "\"\(groupName)\"")
  }

  /// As a configuration writes it.
  public var json: JSONValue { .object(effectiveOptions) }

  /// Notes what is wrong with options that were set in code.
  public func noteProblems(in scope: ConfigurationScope) { noteProblemsOfOptions(in: scope) }
}
