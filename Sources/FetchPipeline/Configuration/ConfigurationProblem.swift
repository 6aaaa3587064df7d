/// One mistake in a configuration.
public struct ConfigurationProblem: Sendable, Hashable {
  /// Where: `transform[0].width`; empty for the configuration as a whole.
  public let path: String
  /// What is wrong and what was expected.
  public let message: String

  /// A mistake at `path`.
  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

/// All mistakes of a configuration, in the order of the file.
public struct ConfigurationError: Error, Sendable {
  /// The file, as the user named it; nil for a configuration built in code.
  public var file: String?
  /// The mistakes.
  public var problems: [ConfigurationProblem]

  /// The mistakes of a file.
  public init(file: String?, problems: [ConfigurationProblem]) {
    self.file = file
    self.problems = problems
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// A line for each mistake.
  public var description: String {
    problems.map { problem in
      [file, problem.path.isEmpty ? nil : problem.path, problem.message].compactMap { $0 }.joined(separator: ": ")
    }.joined(separator: "\n")
  }
}
