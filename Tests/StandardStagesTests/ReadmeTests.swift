import Foundation
import StandardStages
import Testing

/// What the README shows is true: its Swift compiles, its configurations are read.
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The lines of each block in that language.
  private static func blocks(_ language: String, of page: String = "README.md") throws -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line == "```\(language)" {
        block = []
      } else if line == "```" {
        if let block { blocks.append(block) }
        block = nil
      } else {
        block?.append(String(line))
      }
    }
    return blocks
  }

  @Test func everyLineOfSwiftIsCompiled() throws {
    let file = Self.root.appendingPathComponent("Tests/StandardStagesTests/ReadmeSnippets.swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let compiled = Set(lines.map { $0.trimmingCharacters(in: .whitespaces) })
    let blocks = try Self.blocks("swift") + Self.blocks("swift", of: "docs/library.md")
    #expect(blocks.count >= 10)
    for line in blocks.joined() {
      // A comment at the end of a line is for the reader.
      let code = line.components(separatedBy: "  //")[0].trimmingCharacters(in: .whitespaces)
      #expect(code.isEmpty || compiled.contains(code), "not in ReadmeSnippets.swift: \(code)")
    }
  }

  @Test func everyConfigurationIsRead() throws {
    let blocks = try Self.blocks("js")
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(throws: Never.self, "\(block)") {
        try PipelineConfiguration(
          text: Array(block.joined(separator: "\n").utf8), file: "README.md", folder: "", registry: .standard,
          environment: ["TOKEN": "secret"])
      }
    }
  }

  @Test func everyStageIsNamed() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    for stage in StageRegistry.standard.descriptions { #expect(text.contains("`\(stage.name)`"), "\(stage.name)") }
  }
}
