/// A command of the program: declared once, from which come parsing, errors, help, completions and the manual page.
struct Command: Sendable {
  let name: String
  /// What it does, in a few words.
  let summary: String
  /// What a person should know beside the options: paragraphs, with an empty line between.
  let discussion: String
  let arguments: [Argument]
  let options: [CommandOption]
  var examples: [Example] = []
  let run: @Sendable (ParsedArguments) async throws -> ExitStatus

  /// A word that stands by its place.
  struct Argument: Sendable {
    let name: String
    let meaning: String
    var isRequired = true
    /// The words that it takes; empty for any.
    var choices: [String] = []
  }

  /// A command line, and what it does.
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  /// `pipeline run CONFIG [options]`.
  var usage: String {
    let words = arguments.map { argument in
      let word = argument.choices.isEmpty ? argument.name : argument.choices.joined(separator: "|")
      return argument.isRequired ? word : "[\(word)]"
    }
    return (["pipeline", name] + words + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
  }
}

/// An option of a command: `--name VALUE`, or `--name` alone.
struct CommandOption: Sendable {
  /// With its dashes.
  let name: String
  /// A letter that stands for it, with its dash.
  var short: String?
  /// What its value is called; nil where it has none.
  var value: String?
  /// The values that it takes; empty for any.
  var choices: [String] = []
  /// Whether it may be given several times.
  var isRepeatable = false
  let meaning: String

  /// `-q, --quiet`, or `--progress auto|bar|plain|none`.
  var label: String {
    let names = [short, name].compactMap { $0 }.joined(separator: ", ")
    guard let value else { return names }
    return "\(names) \(choices.isEmpty ? value : choices.joined(separator: "|"))"
  }
}
