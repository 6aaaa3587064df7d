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

  init(urlField: String, idField: String, schemes: Set<ListScheme>) {
    self.urlField = urlField
    self.idField = idField
    self.schemes = schemes
  }

  /// A line of a text list; nil for a blank one or a comment.
  mutating func item(line: ArraySlice<UInt8>) -> SourceItem? {
    let trimmed = Self.trimming(line)
    if trimmed.isEmpty || trimmed.first == UInt8(ascii: "#") { return nil }
    guard let text = String(validating: trimmed, as: UTF8.self) else { return item(unreadable: trimmed, "not UTF-8") }
    return item(url: text)
  }

  /// A line of JSON Lines; nil for a blank one.
  mutating func item(jsonLine line: ArraySlice<UInt8>) -> SourceItem? {
    let trimmed = Self.trimming(line)
    return trimmed.isEmpty ? nil : item(json: trimmed)
  }

  /// A JSON value: an object, or a URL alone.
  mutating func item(json bytes: ArraySlice<UInt8>) -> SourceItem {
    do throws(JSONReader.SyntaxError) {
      switch try JSONReader.value(of: bytes) {
      case .object(let object): return item(object)
      case .string(let url): return item(url: url)
      case let other: return item(unreadable: bytes, "a row is an object or a URL, not \(other.kind)")
      }
    } catch {
      // A row of a list is one line as a rule, and which it is the row number says.
      return item(unreadable: bytes, "bad JSON at column \(error.column): \(error.message)")
    }
  }

  /// A row that is more than 1 MiB long.
  mutating func item(tooLong start: ArraySlice<UInt8>) -> SourceItem {
    item(unreadable: start, "longer than 1 MiB")
  }

  /// A row that cannot be understood; what there is of it stands for its URL.
  private mutating func item(unreadable bytes: ArraySlice<UInt8>, _ reason: String) -> SourceItem {
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
  private mutating func item(_ object: JSONObject) -> SourceItem {
    let number = nextID()
    let row = RowValues(object, urlField: urlField, idField: idField)
    var original = object
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
    let text = String(decoding: Self.trimming(Array(written.utf8)[...]), as: UTF8.self)
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

  private static func trimming(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    var bytes = bytes
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
