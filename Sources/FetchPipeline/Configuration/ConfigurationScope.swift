/// A place in a configuration that is being read: its path, and what reading needs.
public struct ConfigurationScope: Sendable {
  /// The place, as users write it.
  public let path: String
  /// The stages that may be named.
  public internal(set) var registry: StageRegistry
  /// Whether plugins could not be loaded, whose stages are not known for that.
  var lacksPlugins = false
  /// The folder that relative paths start from.
  public let folder: String
  private let environment: [String: String]?
  private let collector: Lock<[ConfigurationProblem]>

  /// The root of a configuration.
  ///
  /// - Parameter environment: what `${NAME}` stands for; nil for one made in code, whose strings stand for themselves.
  public init(registry: StageRegistry, folder: String, environment: [String: String]?) {
    path = ""
    self.registry = registry
    self.folder = folder
    self.environment = environment
    collector = Lock([])
  }

  private init(_ parent: ConfigurationScope, path: String) {
    self.path = path
    registry = parent.registry
    lacksPlugins = parent.lacksPlugins
    folder = parent.folder
    environment = parent.environment
    collector = parent.collector
  }

  /// The place of a member.
  public func member(_ name: String) -> ConfigurationScope {
    ConfigurationScope(self, path: path.isEmpty ? name : "\(path).\(name)")
  }

  /// The place of an element, from 0.
  public func element(_ index: Int) -> ConfigurationScope {
    ConfigurationScope(self, path: "\(path)[\(index)]")
  }

  /// Notes a mistake at this place.
  public func report(_ message: String) {
    collector.withLock { $0.append(ConfigurationProblem(path: path, message: message)) }
  }

  /// Notes that something else was expected here.
  public func reportMismatch(_ value: JSONValue, expected: String) {
    let shown =
      switch value {
      case .string(let text): "\"\(text.prefix(60))\""
      case .number(let number): number.text
      case .bool(let value): value ? "true" : "false"
      default: value.kind
      }
    report("\(shown) is not \(expected)")
  }

  /// The mistakes noted so far, in order, at any place of this configuration.
  public var problems: [ConfigurationProblem] { collector.withLock { $0 } }

  /// Brings the mistakes noted at this place since there were `count` of them into the order of its members.
  func sortProblems(from count: Int, by members: [String]) {
    let prefix = path.isEmpty ? "" : path + "."
    func position(_ problem: ConfigurationProblem) -> Int {
      guard problem.path.hasPrefix(prefix) else { return members.count }
      let name = problem.path.dropFirst(prefix.count).prefix { $0 != "." && $0 != "[" }
      return members.firstIndex(of: String(name)) ?? members.count
    }
    collector.withLock { problems in
      guard count < problems.count else { return }
      let sorted = problems[count...].enumerated().sorted {
        (position($0.element), $0.offset) < (position($1.element), $1.offset)
      }
      problems.replaceSubrange(count..., with: sorted.map(\.element))
    }
  }

  /// `value` with `${NAME}` in a string replaced by the environment's value; nil after a mistake was noted.
  ///
  /// A string that is nothing but `${NAME}` may stand for a number or a boolean.
  public func expanding(_ value: JSONValue) -> JSONValue? {
    guard let environment, case .string(let text) = value, text.utf8.contains(UInt8(ascii: "$")) else { return value }
    var result = ""
    var rest = Substring(text)
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        result += "$"
        rest = rest.dropFirst()
      } else if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          report("\"${\" has no closing brace")
          return nil
        }
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        guard let replacement = environment[name] else {
          report("the environment variable \(name) is not set")
          return nil
        }
        if text == "${\(name)}" { return Self.scalar(replacement) }
        result += replacement
        rest = rest[rest.index(after: end)...]
      } else {
        result += "$"
      }
    }
    return .string(result + rest)
  }

  /// A number or boolean where the text is one, else the string.
  private static func scalar(_ text: String) -> JSONValue {
    switch try? JSONReader.value(of: text.utf8) {
    case .number(let number): .number(number)
    case .bool(let value): .bool(value)
    default: .string(text)
    }
  }
}
