import FetchPipeline

/// The program `pipeline`: finds the command, runs it, and turns what it throws into a message and a status.
enum Program {
  /// Help, usage errors, completions and the manual page come from this table alone.
  static let commands: [Command] = [.run, .thumb, .check, .stages, .schema, .cache, .completions, .manual, .help]

  static func status(of words: [String]) async -> ExitStatus {
    let status = await statusOfCommand(words)
    guard let failure = Terminal.output.failure else { return status }
    // Who reads help or a schema with `head` has seen what he wanted to.
    if Terminal.output.readerIsGone { return status }
    // What was asked for could not be printed.
    Terminal.error.write("pipeline: writing standard output: \(failure)\n")
    return .inputOutput
  }

  private static func statusOfCommand(_ words: [String]) async -> ExitStatus {
    do {
      return try await run(words)
    } catch let failure as CommandFailure {
      Terminal.error.write("pipeline: \(DisplayText.escapedLines(failure.message))\n")
      return failure.status
    } catch let error as ConfigurationError {
      for problem in error.problems {
        let single = ConfigurationError(file: error.file, problems: [problem])
        Terminal.error.write(DisplayText.escaped(single.description) + "\n")
      }
      return .usage
    } catch let error as PipelineError {
      Terminal.error.write("pipeline: \(DisplayText.escaped(error.message)) (\(error.code.rawValue))\n")
      return .inputOutput
    } catch {
      Terminal.error.write("pipeline: \(DisplayText.escaped("\(error)"))\n")
      return .inputOutput
    }
  }

  private static func run(_ words: [String]) async throws -> ExitStatus {
    guard let first = words.first else {
      Terminal.error.write(HelpText.overview(of: commands, width: Terminal.error.textWidth))
      return .usage
    }
    let rest = Array(words.dropFirst())
    switch first {
    case "--version", "-V":
      Terminal.output.write("pipeline \(PipelineVersion.release)\n")
      return .success
    case "--help", "-h":
      Terminal.output.write(HelpText.overview(of: commands, width: Terminal.output.textWidth))
      return .success
    default:
      let command = try command(first)
      if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        Terminal.output.write(HelpText.page(of: command, width: Terminal.output.textWidth))
        return .success
      }
      let arguments: ParsedArguments
      do { arguments = try ParsedArguments(rest, for: command) } catch let failure as CommandFailure {
        throw CommandFailure.usage("\(failure.message)\n\"pipeline help \(command.name)\" shows what it takes")
      }
      return try await command.run(arguments)
    }
  }

  /// The command of that name.
  static func command(_ name: String) throws -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    throw CommandFailure.usage(
      "unknown command \"\(name)\"\(NearestName.hint(for: name, among: commands.map(\.name)))")
  }
}
