import FetchPipeline

/// A command of the program: declared once, from which come parsing, errors and help.
struct Command: Sendable {
  let name: String
  /// What it does, in a few words.
  let summary: String
  /// What a person should know beside the options.
  let discussion: String
  let arguments: [Argument]
  let options: [CommandOption]
  let run: @Sendable (ParsedArguments) async throws -> ExitStatus

  /// A word that stands by its place.
  struct Argument: Sendable {
    let name: String
    let meaning: String
    var isRequired = true
  }

  /// `pipeline run CONFIG [options]`.
  var usage: String {
    let words = arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }
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
  let meaning: String

  /// `-q, --quiet`, or `--progress auto|bar|plain|none`.
  var label: String {
    let names = [short, name].compactMap { $0 }.joined(separator: ", ")
    guard let value else { return names }
    return "\(names) \(choices.isEmpty ? value : choices.joined(separator: "|"))"
  }
}

/// The words of a command line, sorted by what they belong to.
struct ParsedArguments: Sendable {
  private var values: [String: String] = [:]
  private(set) var words: [String] = []

  /// Sorts `words` as `command` declares them.
  init(_ words: [String], for command: Command) throws {
    var rest = words[...]
    var areOptionsOver = false
    while let word = rest.popFirst() {
      if word == "--", !areOptionsOver {
        areOptionsOver = true
      } else if word.hasPrefix("-"), word != "-", !areOptionsOver {
        try takeOption(word, from: &rest, of: command)
      } else {
        self.words.append(word)
      }
    }
    if self.words.count > command.arguments.count {
      throw CommandFailure.usage("\"\(self.words[command.arguments.count])\" is one word too many: \(command.usage)")
    }
    if let missing = command.arguments.dropFirst(self.words.count).first(where: \.isRequired) {
      throw CommandFailure.usage("\(missing.name) is missing (\(missing.meaning)): \(command.usage)")
    }
  }

  /// The value of an option; nil where it was not given.
  subscript(option: String) -> String? { values[option] }

  /// Whether an option was given.
  func contains(_ option: String) -> Bool { values[option] != nil }

  private mutating func takeOption(_ word: String, from rest: inout ArraySlice<String>, of command: Command) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let option = command.options.first(where: { $0.name == name || $0.short == name }) else {
      let hint = NearestName.hint(for: name, among: command.options.map(\.name))
      throw CommandFailure.usage("unknown option \(name) of \"\(command.name)\"\(hint)")
    }
    if values[option.name] != nil { throw CommandFailure.usage("\(option.name) is given twice") }
    guard let label = option.value else {
      if parts.count == 2 { throw CommandFailure.usage("\(option.name) takes no value") }
      values[option.name] = ""
      return
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
      throw CommandFailure.usage("\(option.name) needs a value: \(option.choices.isEmpty ? label : option.label)")
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      let hint = NearestName.hint(for: value, among: option.choices)
      throw CommandFailure.usage("\(option.name) \(value): expected \(option.choices.joined(separator: ", "))\(hint)")
    }
    values[option.name] = value
  }
}
