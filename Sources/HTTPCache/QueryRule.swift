import FetchPipeline

/// The option `key` of a cache: which query parameters do not change what a URL stands for, as the signature and expiry
/// time of a signed URL do not.
public struct QueryRule: ConfigurationGroup, Hashable {
  /// Parameters that do not count.
  public enum Dropped: Sendable, Hashable {
    /// Those of these names.
    case named([String])
    /// All that are not kept by name.
    case all
  }

  /// What does not count.
  public var dropQuery = Dropped.named([])
  /// The only names that count; nil for all.
  public var keepQuery: [String]?

  /// Every parameter counts.
  public init() {}

  /// Those of `names` do not count.
  public static func dropping(_ names: [String]) -> QueryRule {
    var rule = QueryRule()
    rule.dropQuery = .named(names)
    return rule
  }

  /// None but those of `names` count.
  public static func keeping(_ names: [String]) -> QueryRule {
    var rule = QueryRule()
    rule.keepQuery = names
    return rule
  }

  /// What the group is called.
  public static let groupName = "key"

  /// Its options.
  public static let options: [OptionDeclaration<QueryRule>] = [
    .init("dropQuery", \.dropQuery, "names of query parameters that do not count; true for all but those of keepQuery"),
    .init("keepQuery", \.keepQuery, "names of the only query parameters that count"),
  ]

  /// Notes two lists that contradict each other.
  public func validate(in scope: ConfigurationScope) {
    if keepQuery != nil, case .named(let names) = dropQuery, !names.isEmpty {
      scope.member("dropQuery").report("stands beside \"keepQuery\", which drops all others: it is one or the other")
    }
  }

  /// Whether parameters of that name, decoded, count.
  func counts(_ name: String) -> Bool {
    if let keepQuery { return keepQuery.contains(name) }
    switch dropQuery {
    case .named(let names): return !names.contains(name)
    case .all: return false
    }
  }

  /// The key of a request by this rule.
  func key(for request: HTTPRequest) -> ResourceKey {
    guard self != QueryRule(), request.url.query != nil else { return ResourceKey(request) }
    var request = request
    request.url = request.url.keepingQueryParameters(counts)
    return ResourceKey(request)
  }
}

extension QueryRule.Dropped: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType(
      "list of string, or true",
      schema: ["anyOf": [["type": "boolean"], ["type": "string"], ["type": "array", "items": ["type": "string"]]]])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> QueryRule.Dropped? {
    switch json {
    case .bool(let isAll): return isAll ? .all : .named([])
    case .string, .array: return [String].read(json, in: scope).map(QueryRule.Dropped.named)
    default:
      scope.reportMismatch(json, expected: "a list of names, or true for all")
      return nil
    }
  }

  /// As a configuration writes it.
  public var json: JSONValue {
    switch self {
    case .named(let names): names.json
    case .all: .bool(true)
    }
  }
}
