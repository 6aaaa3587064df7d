/// The help pages, from the declarations of the commands.
enum HelpText {
  static func overview(of commands: [Command]) -> String {
    """
    pipeline: a list of image URLs in; fetched, decoded, resized thumbnails out.

    \(table(commands.map { ($0.usage, $0.summary) }))
      pipeline --version
          the version

    The smallest configuration is {"input": "urls.txt"}: it makes 256×256 thumbnails in "thumbnails/".
    "pipeline help COMMAND" says more of a command.

    """
  }

  static func page(of command: Command) -> String {
    var text = "\(command.usage)\n\n\(command.summary)\n"
    if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
    if !command.arguments.isEmpty {
      text += "\nArguments\n" + table(command.arguments.map { ($0.name, $0.meaning) }) + "\n"
    }
    if !command.options.isEmpty { text += "\nOptions\n" + table(command.options.map { ($0.label, $0.meaning) }) + "\n" }
    return text
  }

  private static func table(_ rows: [(String, String)]) -> String {
    rows.map { "  \($0.0)\n      \($0.1)" }.joined(separator: "\n")
  }
}

extension Command {
  static let help = Command(
    name: "help", summary: "shows the commands, or one with its options", discussion: "",
    arguments: [Argument(name: "COMMAND", meaning: "the command", isRequired: false)], options: []
  ) { arguments in
    guard let name = arguments.words.first else {
      Terminal.output.write(HelpText.overview(of: Program.commands))
      return .success
    }
    guard let command = Program.commands.first(where: { $0.name == name }) else {
      throw CommandFailure.usage("there is no command \"\(name)\"")
    }
    Terminal.output.write(HelpText.page(of: command))
    return .success
  }
}
