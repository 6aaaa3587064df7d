import FetchPipeline

/// The stage `list` of the slot `input`: a file of rows, or standard input.
public struct ListInputStage: Stage {
  /// It is an input.
  public typealias Slot = InputSlot
  /// What configurations call it.
  public static let name = "list"
  /// What it does.
  public static let summary = "reads rows from a file or standard input, as a stream"

  /// The file; `-` is standard input.
  public var path = ""
  /// How rows are written.
  public var format = ListFormat.auto
  /// The field with the URL.
  public var urlField = "url"
  /// The field with the row's own name.
  public var idField = "id"
  /// Whether the first line of separated values names the columns.
  public var header = true
  /// Which URLs are taken.
  public var schemes = [ListScheme.http, .https, .data, .path]

  /// The defaults; the path is missing.
  public init() {}

  /// The list in a file; `-` is standard input.
  public init(path: String) {
    self.path = path
  }

  /// Its options.
  public static let options: [OptionDeclaration<ListInputStage>] = [
    .init("path", \.path, "the file; - is standard input", required: true) {
      $0.isEmpty ? "a file is expected" : nil
    },
    .init("format", \.format, "how rows are written; auto goes by the name, then by the first bytes"),
    .init("urlField", \.urlFieldName, "the field with the URL: its name, or the number of a column") {
      $0.text.isEmpty ? "a name is expected" : nil
    },
    .init("idField", \.idFieldName, "the field with the row's own name; without one it is the row's number") {
      $0.text.isEmpty ? "a name is expected" : nil
    },
    .init(
      "header", \.header, "csv, tsv: whether the first line names the columns; without one they have numbers, from 1"),
    .init("schemes", \.schemes, "the schemes of URLs that are taken; path is for what has none") {
      $0.isEmpty ? "at least one scheme is expected" : nil
    },
  ]

  /// Notes a column of URLs that has a name where columns have numbers.
  public func validate(in scope: ConfigurationScope) {
    if !header, (Int(urlField) ?? 0) < 1 {
      scope.member("urlField").report("without a header this is the number of a column, from 1, not \"\(urlField)\"")
    }
  }

  /// The list; it is opened when the first row is asked for.
  public func make(in context: StageContext) -> any ItemSource {
    ListSource(self, path: path == "-" ? path : context.resolving(path))
  }
}

extension ListInputStage {
  fileprivate var urlFieldName: FieldName {
    get { FieldName(text: urlField) }
    set { urlField = newValue.text }
  }

  fileprivate var idFieldName: FieldName {
    get { FieldName(text: idField) }
    set { idField = newValue.text }
  }
}

/// The name of a field; one that is a number may be written as one.
private struct FieldName: ConfigurationValue {
  var text: String

  static var configurationType: ConfigurationType {
    ConfigurationType("name or number", schema: ["type": ["string", "integer"]])
  }

  static func read(_ json: JSONValue, in scope: ConfigurationScope) -> FieldName? {
    switch json {
    case .string(let text): return FieldName(text: text)
    case .number(let number): if let integer = number.integer { return FieldName(text: String(integer)) }
    default: break
    }
    scope.reportMismatch(json, expected: "the name of a field, or the number of a column")
    return nil
  }

  var json: JSONValue { .string(text) }
}

/// What a row's location may start with.
public enum ListScheme: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// Fetched.
  case http
  /// Fetched.
  case https
  /// The picture is in the URL itself (RFC 2397).
  case data
  /// No scheme: a file, relative to the list's folder.
  case path
  /// A file by its URL.
  case file
}
