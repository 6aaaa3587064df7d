import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Makes items of rows: numbers them, and tells what each asks for from what it only carries along.
struct RowAssembly {
  /// The field with the URL.
  let urlField: String
  /// The field with the row's own name.
  let idField: String
  /// The schemes that are taken; `path` for what has none.
  let schemes: Set<ListScheme>
  /// The folder that relative paths in the list start from; empty for the working folder.
  let folder: String
  private var count = 0
  /// What the columns of separated values are called; nil before the header. Without one they have numbers.
  private var columns: [String]?

  /// Whether the names of columns have not come yet.
  var awaitsHeader: Bool { columns == nil }

  init(urlField: String, idField: String, hasHeader: Bool, schemes: Set<ListScheme>, folder: String = "") {
    self.urlField = urlField
    self.idField = idField
    self.schemes = schemes
    self.folder = folder
    columns = hasHeader ? nil : []
  }

  /// A line of a text list; nil for a blank one or a comment.
  mutating func item(line: ArraySlice<UInt8>) -> SourceItem? {
    let trimmed = line.trimmingASCIIWhitespace()
    if trimmed.isEmpty || trimmed.first == UInt8(ascii: "#") { return nil }
    guard let text = String(validating: trimmed, as: UTF8.self) else { return item(unreadable: trimmed, "not UTF-8") }
    return item(url: text)
  }

  /// A JSON value, an object or a URL alone; nil for a blank line.
  mutating func item(json bytes: ArraySlice<UInt8>) -> SourceItem? {
    let bytes = bytes.trimmingASCIIWhitespace()
    if bytes.isEmpty { return nil }
    do throws(JSONReader.SyntaxError) {
      switch try JSONReader.value(of: bytes) {
      case .object(let object): return item(RowValues(object, urlField: urlField, idField: idField), original: object)
      case .string(let url): return item(url: url)
      case let other: return item(unreadable: bytes, "a row is an object or a URL, not \(other.kind)")
      }
    } catch {
      let place = error.line > 1 ? "line \(error.line) of it, column \(error.column)" : "column \(error.column)"
      return item(unreadable: bytes, "bad JSON at \(place): \(error.message)")
    }
  }

  /// The values of a line; nil for the header.
  ///
  /// - Throws: `ConfigurationError` where the header does not name the columns that the options name.
  mutating func item(cells: [[UInt8]]) throws -> SourceItem? {
    let texts = cells.map { String(validating: $0, as: UTF8.self) }
    guard let columns else {
      let names = texts.enumerated().map { index, name in
        let name = name.map { String(decoding: Array($0.utf8)[...].trimmingASCIIWhitespace(), as: UTF8.self) } ?? ""
        return name.isEmpty ? String(index + 1) : name
      }
      columns = names
      try check(names)
      return nil
    }
    var object: JSONObject = [:]
    for (index, text) in texts.enumerated() {
      guard let text else { return item(unreadable: Array(cells.joined(separator: [0x20]))[...], "not UTF-8") }
      object.append(index < columns.count ? columns[index] : String(index + 1), .string(text))
    }
    let row = RowValues(columns: object, urlField: urlField, idField: idField)
    return item(row, original: row.readable)
  }

  /// Without a column of URLs no row has one. The column of names may be missing, unless it was asked for by its name.
  private func check(_ names: [String]) throws {
    var problems: [ConfigurationProblem] = []
    let shown = names.prefix(12).map { "\"\($0.prefix(60))\"" }.joined(separator: ", ")
    func report(_ option: String, _ name: String, _ meaning: String) {
      let hint = NearestName.hint(for: name, among: names)
      problems.append(
        ConfigurationProblem(
          path: "input.\(option)",
          message: "the first line of the list names no column \"\(name)\" but \(shown)"
            + "\(hint.contains("mean") ? hint : "") (\(meaning))"))
    }
    if !names.contains(urlField) {
      report(
        "urlField", urlField,
        "it is the column of URLs; a list without a header is read with header: false, urlField: 1")
    }
    if idField != ListInputStage().idField, !names.contains(idField) {
      report("idField", idField, "it is the column of the rows' own names")
    }
    if !problems.isEmpty { throw ConfigurationError(file: nil, problems: problems) }
  }

  /// A row that cannot be understood; what there is of it is shown in its URL's place. Where the row is read again it must
  /// not be taken for a URL, or for a path.
  mutating func item(unreadable bytes: ArraySlice<UInt8>, _ reason: String) -> SourceItem {
    let text = String(decoding: bytes, as: UTF8.self)
    let id = nextID()
    return SourceItem(
      row: count, id: id, text: text, original: [Self.unreadableField: .string(text), idField: .string(id)],
      request: .failure(PipelineError(.input, .invalidInput, "row \(count): \(reason)")))
  }

  /// What holds a row that could not be understood among rows that failed.
  private static let unreadableField = "unreadable"

  private mutating func item(url text: String) -> SourceItem {
    let id = nextID()
    let location = Result { try self.location(of: text) }
    return SourceItem(
      row: count, id: id, text: text, original: [urlField: .string(lasting(text, location)), idField: .string(id)],
      request: Self.result { ImageRequest(try location.get()) })
  }

  /// A row of named values.
  private mutating func item(_ row: RowValues, original: JSONObject) -> SourceItem {
    let number = nextID()
    var original = original
    // So that the row keeps its name where it is read again among others.
    if row.id == nil {
      original.members.removeAll { $0.name == idField && ($0.value == .null || $0.value == "") }
      if original[idField] == nil { original.append(idField, .string(number)) }
    }
    let location = Result { try self.location(of: row.requireURL()) }
    if let index = original.members.firstIndex(where: { $0.name == urlField }) {
      original.members[index].value = .string(lasting(row.url ?? "", location))
    }
    return SourceItem(
      row: count, id: row.id ?? number, text: row.url ?? "", fields: row.fields, original: original,
      request: Self.result { try row.request(at: location.get()) })
  }

  /// What is written for a location, so that it also means that from another list's folder.
  private func lasting(_ written: String, _ location: Result<ResourceLocation, any Error>) -> String {
    guard case .success(.file(let path)) = location, ResourceURL.schemeName(of: written) == nil else { return written }
    return path.hasPrefix("/") ? path : "\(workingFolder())/\(path)"
  }

  private func workingFolder() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  private mutating func nextID() -> String {
    count += 1
    return String(count)
  }

  /// Where a picture is.
  ///
  /// - Throws: `unsupported-scheme`, `invalid-input`.
  private func location(of written: String) throws -> ResourceLocation {
    let text = String(decoding: Array(written.utf8)[...].trimmingASCIIWhitespace(), as: UTF8.self)
    if text.isEmpty { throw PipelineError(.input, .invalidInput, "the URL is empty") }
    let name = ResourceURL.schemeName(of: text)
    guard let scheme = name.map({ ListScheme(rawValue: $0) }) ?? .path, name == nil || scheme != .path,
      schemes.contains(scheme)
    else {
      if let name, ListScheme(rawValue: name) == nil || name == ListScheme.path.rawValue {
        let known = ListScheme.allCases.filter { $0 != .path }.map(\.rawValue).joined(separator: ", ")
        throw PipelineError(
          .input, .unsupportedScheme, "the scheme \"\(name)\" is not supported; \(known) are, and paths")
      }
      let what = name.map { "the scheme \"\($0)\"" } ?? "a path (what has no scheme is one)"
      throw PipelineError(.input, .unsupportedScheme, "\(what) is not among input.schemes")
    }
    switch scheme {
    case .http, .https: return .url(try ResourceURL(text))
    case .data: return .data(try DataURL(text))
    case .path: return .file(try path(text))
    case .file: return try ResourceLocation(fileURL: text)
    }
  }

  private func path(_ text: String) throws -> String {
    guard !text.utf8.contains(0) else { throw PipelineError(.input, .invalidInput, "the path holds a NUL byte") }
    return text.hasPrefix("/") || folder.isEmpty ? text : "\(folder)/\(text)"
  }

  private static func result(_ body: () throws -> ImageRequest) -> Result<ImageRequest, PipelineError> {
    do { return .success(try body()) } catch {
      return .failure(PipelineError(error, at: .input, as: .invalidInput))
    }
  }
}
