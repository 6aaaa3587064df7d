/// Names and values, in order: the parameters of a query, or the fields of a form.
public struct HTTPParameters: Sendable, Hashable {
  /// One of them, as it is meant: nothing is encoded yet.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// A parameter.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The parameters; a name may stand there more than once.
  public var parameters: [Parameter] = []

  /// No parameters.
  public init() {}

  /// The pairs, in their order. (That of a `Dictionary` is another one each time.)
  public init(_ pairs: some Sequence<(key: String, value: String)>) {
    parameters = pairs.map { Parameter($0.key, $0.value) }
  }

  /// Adds a parameter behind the others.
  public mutating func append(_ name: String, _ value: String) {
    parameters.append(Parameter(name, value))
  }

  /// As a query has them: everything but letters, digits and `-._~` is percent-encoded (RFC 3986, section 2.3).
  public var queryText: String { joined { PercentEncoding.encode($0.utf8, allowing: .parameter) } }

  /// As a form has them: `application/x-www-form-urlencoded` (WHATWG URL, section 5.2).
  public var formText: String {
    joined {
      PercentEncoding.encode($0.utf8, allowing: .formField).split(separator: "%20", omittingEmptySubsequences: false)
        .joined(separator: "+")
    }
  }

  private func joined(_ encode: (String) -> String) -> String {
    parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }
}

extension HTTPParameters: ExpressibleByDictionaryLiteral {
  /// The parameters, in the order written.
  public init(dictionaryLiteral elements: (String, String)...) {
    parameters = elements.map { Parameter($0.0, $0.1) }
  }
}

extension ResourceURL {
  /// A copy with further parameters behind those of its query.
  public func appending(_ parameters: HTTPParameters) -> ResourceURL {
    guard !parameters.parameters.isEmpty else { return self }
    let before = query.map { $0.isEmpty ? "" : $0 + "&" } ?? ""
    return replacing(query: before + parameters.queryText)
  }
}
