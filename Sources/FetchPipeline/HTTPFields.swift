/// The header fields of a message, in order, names compared without regard to case (RFC 9110, section 5).
public struct HTTPFields: Sendable, Hashable {
  /// One field line.
  public struct Field: Sendable, Hashable {
    /// The name, as written.
    public var name: String
    /// The value, without surrounding white space.
    public var value: String
    /// Whether the value is a secret: redacted in logs, dropped when a redirect leaves the origin.
    public var isSensitive: Bool

    /// A field line. `isSensitive` defaults to what the name suggests.
    public init(_ name: String, _ value: String, isSensitive: Bool? = nil) {
      self.name = name
      self.value = value
      self.isSensitive = isSensitive ?? Self.sensitiveNames.contains(name.lowercased())
    }

    private static let sensitiveNames: Set<String> = [
      "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
    ]
  }

  private var fields: [Field] = []

  /// No fields.
  public init() {}

  /// The value of the first field of that name; setting it replaces all of that name, in the place of the first, and
  /// what replaces a secret is one; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
    set {
      let replaced = fields.filter { $0.name.equalsIgnoringASCIICase(name) }
      let index = fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
      fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
      guard let newValue else { return }
      let isSensitive = replaced.isEmpty ? nil : replaced.contains(where: \.isSensitive)
      fields.insert(Field(name, newValue, isSensitive: isSensitive), at: index ?? fields.count)
    }
  }

  /// The values of all fields of that name, in order.
  public func values(_ name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }

  /// Adds a field line behind the others.
  public mutating func append(_ field: Field) {
    fields.append(field)
  }

  /// Removes the fields for which `condition` holds.
  public mutating func removeAll(where condition: (Field) -> Bool) {
    fields.removeAll(where: condition)
  }

  /// Whether a name and value can be sent: a token, and no control characters (RFC 9110, sections 5.1 and 5.5).
  public static func isValid(name: String, value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isHTTPTokenByte)
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
  }
}

extension HTTPFields: RandomAccessCollection {
  /// The index of the first field.
  public var startIndex: Int { 0 }
  /// One past the index of the last field.
  public var endIndex: Int { fields.count }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// The fields, in the order written.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }
}

extension String {
  /// Whether both are the same but for the case of ASCII letters.
  public func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  /// The lower-case letter of an upper-case ASCII one; every other byte as it is.
  var asciiLowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }

  /// Whether the byte may be part of a token (RFC 9110, section 5.6.2).
  fileprivate var isHTTPTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
