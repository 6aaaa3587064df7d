/// A JSON value that keeps what it was given: the order of members, and numbers as they were written.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// An integer.
  public static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// What kind of value this is, as users call it.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// A number and its text.
public struct JSONNumber: Sendable, Hashable {
  /// The number in JSON's notation, as it was written.
  public let text: String

  /// A number that `text` writes; the caller vouches that it does.
  init(verbatim text: String) {
    self.text = text
  }

  /// An integer.
  public init(_ value: Int) {
    text = String(value)
  }

  /// A number with at most `digits` decimals; not finite becomes 0.
  public init(_ value: Double, decimals digits: Int) {
    guard value.isFinite else {
      text = "0"
      return
    }
    // A `Double` has no more than 17 digits that mean anything; one of 2^53 and more has no decimals.
    let digits = abs(value) < 0x1p53 ? min(max(digits, 0), 15) : 0
    let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    guard let scaled = Int(exactly: (value * scale).rounded()) else {
      text = Int(exactly: value.rounded()).map(String.init) ?? value.description
      return
    }
    let whole = scaled.magnitude / UInt(scale)
    let fraction = String(scaled.magnitude % UInt(scale))
    let padded = String(repeating: "0", count: max(digits - fraction.utf8.count, 0)) + fraction
    let trimmed = digits > 0 ? String(padded.reversed().drop { $0 == "0" }.reversed()) : ""
    text = (scaled < 0 ? "-" : "") + String(whole) + (trimmed.isEmpty ? "" : "." + trimmed)
  }

  /// The value, where it is an integer that fits.
  public var integer: Int? {
    if let exact = Int(text) { return exact }
    guard let double, double == double.rounded(), abs(double) < 9e15 else { return nil }
    return Int(double)
  }

  /// The value as a floating-point number.
  public var double: Double? { Double(text) }
}

/// The members of an object, in order.
public struct JSONObject: Sendable, Hashable {
  /// The members.
  public var members: [Member]

  /// One member.
  public struct Member: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// A member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An object of these members.
  public init(_ members: [Member] = []) {
    self.members = members
  }

  /// The value of the first member of that name.
  public subscript(name: String) -> JSONValue? {
    members.first { $0.name == name }?.value
  }

  /// Adds a member behind the others.
  public mutating func append(_ name: String, _ value: JSONValue) {
    members.append(Member(name: name, value: value))
  }

  /// Adds a member where there is a value.
  public mutating func append(_ name: String, _ value: JSONValue?) {
    if let value { append(name, value) }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
  }
}
