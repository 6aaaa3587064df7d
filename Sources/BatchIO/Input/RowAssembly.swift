import FetchPipeline

/// Makes items of rows: numbers them, and tells what each asks for from what it only carries along.
struct RowAssembly {
  /// The field with the URL.
  let urlField: String
  /// The field with the row's own name.
  let idField: String
  /// The schemes that are taken; `path` for what has none.
  let schemes: Set<ListScheme>
  private var count = 0
  /// What the columns of separated values are called; nil before the header. Without one they have numbers.
  private var columns: [String]?

  init(urlField: String, idField: String, hasHeader: Bool, schemes: Set<ListScheme>) {
    self.urlField = urlField
    self.idField = idField
    self.schemes = schemes
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
  mutating func item(cells: [[UInt8]]) -> SourceItem? {
    let texts = cells.map { String(validating: $0, as: UTF8.self) }
    guard let columns else {
      columns = texts.enumerated().map { index, name in
        let name = name.map { String(decoding: Array($0.utf8)[...].trimmingASCIIWhitespace(), as: UTF8.self) } ?? ""
        return name.isEmpty ? String(index + 1) : name
      }
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

  /// A row that cannot be understood; what there is of it stands for its URL.
  mutating func item(unreadable bytes: ArraySlice<UInt8>, _ reason: String) -> SourceItem {
    let text = String(decoding: bytes, as: UTF8.self)
    let id = nextID()
    return SourceItem(
      row: count, id: id, text: text, original: [urlField: .string(text), idField: .string(id)],
      request: .failure(PipelineError(.input, .invalidInput, "row \(count): \(reason)")))
  }

  private mutating func item(url text: String) -> SourceItem {
    let id = nextID()
    return SourceItem(
      row: count, id: id, text: text, original: [urlField: .string(text), idField: .string(id)],
      request: Self.result { try ImageRequest(location(of: text)) })
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
    return SourceItem(
      row: count, id: row.id ?? number, text: row.url ?? "", fields: row.fields, original: original,
      request: Self.result { try row.request(at: location(of: row.requireURL())) })
  }

  private mutating func nextID() -> String {
    count += 1
    return String(count)
  }

  /// Where a picture is.
  ///
  /// - Throws: `unsupported-scheme`, `invalid-input`.
  private func location(of written: String) throws -> ResourceURL {
    let text = String(decoding: Array(written.utf8)[...].trimmingASCIIWhitespace(), as: UTF8.self)
    if text.isEmpty { throw PipelineError(.input, .invalidInput, "the URL is empty") }
    guard let scheme = ResourceURL.schemeName(of: text) else {
      throw PipelineError(
        .input, .unsupportedScheme,
        schemes.contains(.path)
          ? "paths cannot be read yet" : "what has no scheme is a path, and input.schemes does not name \"path\"")
    }
    guard let known = ListScheme(rawValue: scheme), schemes.contains(known) else {
      throw PipelineError(.input, .unsupportedScheme, "the scheme \"\(scheme)\" is not one of input.schemes")
    }
    return try ResourceURL(text)
  }

  private static func result(_ body: () throws -> ImageRequest) -> Result<ImageRequest, PipelineError> {
    do { return .success(try body()) } catch {
      return .failure(PipelineError(error, at: .input, as: .invalidInput))
    }
  }
}
