import FetchPipeline

/// The words of a command line, sorted by what they belong to.
struct ParsedArguments: Sendable {
  private var given: [String: [String]] = [:]
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
    for (word, argument) in zip(self.words, command.arguments)
    where !argument.choices.isEmpty && !argument.choices.contains(word) {
      throw CommandFailure.usage(Self.mismatch(argument.name, word, argument.choices))
    }
  }

  /// The value of an option; nil where it was not given. The last one where it was given several times.
  subscript(option: String) -> String? { given[option]?.last }

  /// The values of an option that may be given several times.
  func all(_ option: String) -> [String] { given[option] ?? [] }

  /// Whether an option was given.
  func contains(_ option: String) -> Bool { given[option] != nil }

  /// The value of an option that is a number in a range.
  func integer(_ option: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let limit =
        range.upperBound == .max ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw CommandFailure.usage("\(option) \(text): expected a whole number \(limit)")
    }
    return number
  }

  /// Refuses options that contradict each other.
  func refuse(_ options: [String], with other: String, because reason: String) throws {
    guard contains(other), let option = options.first(where: contains) else { return }
    throw CommandFailure.usage("\(option) does not go with \(other): \(reason)")
  }

  private mutating func takeOption(_ word: String, from rest: inout ArraySlice<String>, of command: Command) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let option = command.options.first(where: { $0.name == name || $0.short == name }) else {
      let hint = NearestName.hint(for: name, among: command.options.map(\.name))
      throw CommandFailure.usage("unknown option \(name) of \"\(command.name)\"\(hint)")
    }
    if given[option.name] != nil, !option.isRepeatable {
      throw CommandFailure.usage("\(option.name) is given twice")
    }
    guard let label = option.value else {
      if parts.count == 2 { throw CommandFailure.usage("\(option.name) takes no value") }
      given[option.name] = [""]
      return
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
      throw CommandFailure.usage("\(option.name) needs a value: \(option.choices.isEmpty ? label : option.label)")
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw CommandFailure.usage(Self.mismatch(option.name, value, option.choices))
    }
    if value.isEmpty { throw CommandFailure.usage("\(option.name): the value is empty") }
    given[option.name, default: []].append(value)
  }

  private static func mismatch(_ name: String, _ value: String, _ choices: [String]) -> String {
    let hint = NearestName.hint(for: value, among: choices)
    // The hint lists them where none is near.
    let known = hint.hasPrefix("; known") ? "" : hint
    return "\(name) \(value): expected \(choices.joined(separator: ", "))\(known)"
  }
}
