import FetchPipeline

/// The lines of a report, as another program would read them.
struct Report {
  let lines: [JSONObject]

  init(_ folder: WorkingFolder, _ name: String = "thumbnails/report.jsonl") throws {
    lines = try folder.lines(name).map { line in
      guard case .object(let object) = try JSONReader.value(of: Array(line.utf8)) else {
        throw PipelineError(.input, .invalidInput, "not an object: \(line)")
      }
      return object
    }
  }

  /// The line of a row.
  subscript(id: String) -> JSONObject? { lines.first { $0.text("id") == id } }

  /// How many lines have each status.
  var statuses: [String: Int] {
    Dictionary(lines.compactMap { $0.text("status") }.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// The error code of a row; nil where it did not fail.
  func code(_ id: String) -> String? { self[id]?.object("error")?.text("code") }

  /// The first picture of a row.
  func output(_ id: String) -> JSONObject? {
    guard case .array(let outputs)? = self[id]?["outputs"], case .object(let output)? = outputs.first else {
      return nil
    }
    return output
  }
}

extension JSONObject {
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int? {
    if case .number(let number)? = self[name] { number.integer } else { nil }
  }

  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }

  func objects(_ name: String) -> [JSONObject] {
    guard case .array(let elements)? = self[name] else { return [] }
    return elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  func texts(_ name: String) -> [String] {
    guard case .array(let elements)? = self[name] else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
