/// The help pages, from the declarations of the commands.
enum HelpText {
  static func overview(of commands: [Command], width: Int) -> String {
    let rows =
      commands.map { [$0.usage.dropFirst("pipeline ".count).description, $0.summary] }
      + [["--version", "the version"]]
    return """
      pipeline: a list of image URLs in; fetched, decoded, resized thumbnails out.

      Commands
      \(TextTable(rows: rows, most: [34]).lines(width: width).joined(separator: "\n"))

      To begin
        echo '{"input": "urls.txt"}' > config.json   urls.txt: a URL on each line
        pipeline check config.json                   every option as it takes effect
        pipeline run config.json                     256×256 thumbnails in "thumbnails/"

      "pipeline help COMMAND" says more of a command, "pipeline stages" what a
      configuration may say.

      """
  }

  static func page(of command: Command, width: Int) -> String {
    var parts = [command.usage, DisplayText.wrapped(sentence(command.summary), columns: width).joined(separator: "\n")]
    if !command.discussion.isEmpty { parts.append(DisplayText.wrapped(paragraphs: command.discussion, columns: width)) }
    if !command.arguments.isEmpty {
      parts.append(section("Arguments", command.arguments.map { [$0.name, $0.meaning] }, width: width))
    }
    if !command.options.isEmpty {
      parts.append(section("Options", command.options.map { [$0.label, $0.meaning] }, width: width))
    }
    if !command.examples.isEmpty {
      let lines = command.examples.flatMap { example in
        ["  \(example.line)"] + DisplayText.wrapped(example.meaning, columns: width - 6).map { "      " + $0 }
      }
      parts.append("Examples\n" + lines.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func section(_ title: String, _ rows: [[String]], width: Int) -> String {
    title + "\n" + TextTable(rows: rows, most: [28]).lines(width: width).joined(separator: "\n")
  }

  /// `text` with a capital and a full stop.
  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }
}

extension Command {
  static let help = Command(
    name: "help", summary: "shows the commands, or one with its options", discussion: "",
    arguments: [Argument(name: "COMMAND", meaning: "the command", isRequired: false)], options: []
  ) { arguments in
    let width = Terminal.output.textWidth
    guard let name = arguments.words.first else {
      Terminal.output.write(HelpText.overview(of: Program.commands, width: width))
      return .success
    }
    Terminal.output.write(HelpText.page(of: try Program.command(name), width: width))
    return .success
  }
}
