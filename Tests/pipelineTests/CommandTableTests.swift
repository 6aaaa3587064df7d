import Foundation
import StandardStages
import Testing

@testable import pipeline

/// Help, completions and the manual page name every command and option: they come from one table.
struct CommandTableTests {
  @Test(arguments: Program.commands.map(\.name))
  func everyOptionIsInHelpCompletionsAndManual(name: String) throws {
    let command = try Program.command(name)
    let help = HelpText.page(of: command, width: 100)
    let (bash, zsh) = (CompletionScript.bash(for: [command]), CompletionScript.zsh(for: [command]))
    let manual = ManualPage.text(of: Program.commands)
    #expect(HelpText.overview(of: Program.commands, width: 100).contains(name))
    #expect(manual.contains(".SS \(command.usage.split(separator: "-").joined(separator: "\\-"))"))
    for option in command.options {
      for page in [help, bash, zsh] { #expect(page.contains(option.name), "\(option.name)") }
      #expect(
        manual.contains(option.name.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")))
      for choice in option.choices { #expect(bash.contains(choice) && zsh.contains(choice) && help.contains(choice)) }
    }
  }

  /// Behind the verb of `cache` stands a configuration.
  @Test func bashCompletesFilesBehindAVerb() throws {
    let script = CompletionScript.bash(for: [try Program.command("cache")])
    #expect(try completions(of: ["pipeline", "cache", "st"], by: script) == ["stats"])
    #expect(try completions(of: ["pipeline", "cache", "stats", #filePath], by: script) == [#filePath])
  }

  private func completions(of words: [String], by script: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    // Outside a completion there are no options of it to set.
    process.arguments = [
      "-c",
      "compopt() { :; }\n\(script)\nCOMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _pipeline; printf '%s\\n' \"${COMPREPLY[@]}\"",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func namesAreDistinct() {
    #expect(Set(Program.commands.map(\.name)).count == Program.commands.count)
    for command in Program.commands {
      let names = command.options.flatMap { [$0.short, $0.name].compactMap { $0 } }
      #expect(Set(names).count == names.count)
    }
  }

  @Test func everyExampleIsACommandLineThatParses() throws {
    for command in Program.commands {
      for example in command.examples {
        let words = example.line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(where: { $0 == "pipeline" || $0.hasSuffix("(pipeline") }) else {
          Issue.record("\(example.line) does not run the program")
          continue
        }
        let rest = words[(start + 1)...].prefix { !["|", ">", "<"].contains($0) }
          .map { $0.hasSuffix(")") ? String($0.dropLast()) : $0 }
        _ = try ParsedArguments(Array(rest.dropFirst()), for: try Program.command(rest[0]))
      }
    }
  }

  @Test func everyStageAndOptionIsListed() throws {
    let list = StageList(.standard)
    let overview = list.overview(width: 100)
    for stage in StageRegistry.standard.descriptions {
      #expect(overview.contains("  \(stage.name)"))
      let page = try #require(list.page(of: stage.name, width: 100))
      for option in stage.options { #expect(page.contains("  \(option.name)"), "\(stage.name).\(option.name)") }
    }
    for name in ["limits", "report", "retry", "transform"] { #expect(list.page(of: name, width: 80) != nil) }
    #expect(list.page(of: "nonsense", width: 80) == nil)
  }
}
