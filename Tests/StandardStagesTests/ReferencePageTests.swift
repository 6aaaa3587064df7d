import Foundation
import StandardStages
import Testing

/// The reference page says what the program says: every slot, stage and option with its type, default and meaning.
struct ReferencePageTests {
  private static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/reference.md")

  /// `make docs` writes the tables anew.
  @Test func thePageHasTheTablesOfTheDeclarations() throws {
    let page = try String(contentsOf: Self.path, encoding: .utf8)
    var expected = page
    expected = try Self.replacing("slots", in: expected, with: Self.slots)
    expected = try Self.replacing("stages", in: expected, with: Self.stages)
    expected = try Self.replacing("groups", in: expected, with: Self.groups)
    if ProcessInfo.processInfo.environment["PIPELINE_UPDATE_DOCS"] != nil {
      try expected.write(to: Self.path, atomically: true, encoding: .utf8)
    } else {
      #expect(page == expected, "docs/reference.md is not what the declarations say: run `make docs`")
    }
  }

  @Test func everyErrorCodeAndFlagIsExplained() throws {
    let page = try String(contentsOf: Self.path, encoding: .utf8)
    for code in PipelineError.Code.allCases { #expect(page.contains("| `\(code.rawValue)` |"), "\(code.rawValue)") }
    for flag in ResultFlag.allCases { #expect(page.contains("| `\(flag.rawValue)` |"), "\(flag.rawValue)") }
  }

  private static var slots: String {
    table(PipelineConfiguration.slotDescriptions)
  }

  private static var stages: String {
    StageRegistry.standard.descriptions.map { stage in
      let options = stage.options.isEmpty ? "It has no options." : table(stage.options)
      return
        "### `\(stage.slot)`: `\(stage.name)`\n\n\(stage.summary.prefix(1).uppercased() + stage.summary.dropFirst()).\n\n\(options)"
    }.joined(separator: "\n\n")
  }

  private static var groups: String {
    [
      ("limits", Limits.optionDescriptions), ("report", ReportOptions.optionDescriptions),
      ("cache[].key", QueryRule.optionDescriptions),
      ("transport.retry", RetryPolicy.optionDescriptions), ("renditions[]", RenditionConfiguration.optionDescriptions),
    ].map { "### `\($0.0)`\n\n\(table($0.1))" }.joined(separator: "\n\n")
  }

  private static func table(_ options: [OptionDescription]) -> String {
    let rows = options.map { option in
      let value =
        if option.isRequired {
          "required"
        } else if case .object = option.defaultValue, option.type.name == "object" {
          "see below"
        } else {
          option.defaultValue == .null ? "—" : "`\(option.defaultValue.compactText)`"
        }
      return "| `\(option.name)` | \(option.type.name) | \(value) | \(option.meaning) |"
    }
    return (["| option | type | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static func replacing(_ name: String, in page: String, with text: String) throws -> String {
    let begin = try #require(page.range(of: "<!-- \(name):begin -->\n"))
    let end = try #require(page.range(of: "<!-- \(name):end -->"))
    return page.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: text + "\n")
  }
}
