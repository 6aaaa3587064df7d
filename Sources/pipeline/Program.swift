import FetchPipeline

/// The program `pipeline`: finds the command, runs it, and turns what it throws into a message and a status.
enum Program {
  static let commands: [Command] = [.run, .check, .schema, .cache, .help]

  static func status(of words: [String]) async -> ExitStatus {
    do {
      return try await run(words)
    } catch let failure as CommandFailure {
      Terminal.error.write("pipeline: \(failure.message)\n")
      return failure.status
    } catch let error as ConfigurationError {
      Terminal.error.write("\(error)\n")
      return .usage
    } catch let error as PipelineError {
      Terminal.error.write("pipeline: \(error.message) (\(error.code.rawValue))\n")
      return .inputOutput
    } catch {
      Terminal.error.write("pipeline: \(error)\n")
      return .inputOutput
    }
  }

  private static func run(_ words: [String]) async throws -> ExitStatus {
    guard let first = words.first else {
      Terminal.error.write(HelpText.overview(of: commands))
      return .usage
    }
    let rest = Array(words.dropFirst())
    switch first {
    case "--version", "-V":
      Terminal.output.write("pipeline \(PipelineVersion.release)\n")
      return .success
    case "--help", "-h":
      Terminal.output.write(HelpText.overview(of: commands))
      return .success
    default:
      guard let command = commands.first(where: { $0.name == first }) else {
        throw CommandFailure.usage(
          "unknown command \"\(first)\"\(NearestName.hint(for: first, among: commands.map(\.name)))")
      }
      if rest.contains("--help") || rest.contains("-h") {
        Terminal.output.write(HelpText.page(of: command))
        return .success
      }
      return try await command.run(ParsedArguments(rest, for: command))
    }
  }
}
