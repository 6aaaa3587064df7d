import StandardStages

/// What the command line of a run asks for.
struct RunSettings {
  var options = RunOptions()
  var progress = ProgressStyle.auto
  var isWorker = false
  var isQuiet = false
  var isVerbose = false
  /// In place of what the configuration says.
  var input: String?
  var output: String?
  var report: String?

  init(_ arguments: ParsedArguments) throws {
    let own = "a worker reads standard input, reports to standard output and shows no progress"
    try arguments.refuse(["--input", "--report", "--progress", "--dry-run", "--limit"], with: "--worker", because: own)
    try arguments.refuse(["--shard"], with: "--worker", because: "its caller shares the rows out")
    try arguments.refuse(["--revalidate"], with: "--fresh", because: "what is made anew is not asked about")
    try arguments.refuse(["--verbose"], with: "--quiet", because: "it is one or the other")
    try arguments.refuse(["--report"], with: "--dry-run", because: "nothing is written")
    if arguments.contains("--shard-by"), !arguments.contains("--shard") {
      throw CommandFailure.usage("--shard-by says how --shard I/N shares out, which is not given")
    }
    isWorker = arguments.contains("--worker")
    isQuiet = arguments.contains("--quiet")
    isVerbose = arguments.contains("--verbose")
    progress = arguments["--progress"].flatMap(ProgressStyle.init) ?? (isWorker || isQuiet ? .none : .auto)
    input = isWorker ? "-" : arguments["--input"]
    report = isWorker ? "-" : arguments["--report"]
    output = arguments["--output"]
    options.retryFailed = arguments["--retry-failed"].flatMap(RunOptions.RetryFailed.init) ?? .transient
    options.revalidates = arguments.contains("--revalidate")
    options.isFresh = arguments.contains("--fresh")
    options.isDryRun = arguments.contains("--dry-run")
    options.triesRepeatedRows = isWorker
    options.limit = try arguments.integer("--limit", in: 1...Int.max)
    options.shard = try arguments["--shard"].map {
      try Self.shard($0, arguments["--shard-by"].flatMap(RunOptions.Shard.Grouping.init) ?? .host)
    }
  }

  private static func shard(_ text: String, _ grouping: RunOptions.Shard.Grouping) throws -> RunOptions.Shard {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      let shard = RunOptions.Shard(index: index, count: count, grouping: grouping)
    else { throw CommandFailure.usage("--shard \(text): expected I/N with 0 ≤ I < N, as in 0/4") }
    return shard
  }

  /// Changes a configuration as the command line says. Paths of the command line start from the working folder.
  func adjust(_ written: inout JSONObject, folder: String) {
    if let input {
      written.setPath(ConfigurationFile.path(input, from: folder), of: "input")
      Self.fit(&written, toListCalled: input)
    }
    if let output { written.setPath(ConfigurationFile.path(output, from: folder), of: "output") }
    if isWorker, case .object(var input)? = written["input"], input["schemes"] == nil {
      // What comes from another program reads no files unless somebody has said so.
      input.append("schemes", ["http", "https", "data"])
      written.set("input", .object(input))
    }
    if let report {
      var options: JSONObject = [:]
      if case .object(let object)? = written["report"] { options = object }
      options.set("path", .string(ConfigurationFile.path(report, from: folder)))
      written.set("report", .object(options))
    }
  }
}

extension RunSettings {
  /// What the configuration says of how rows are written goes for its own list. Another one, such as the rows that failed, is
  /// read as its name says. (Much may be called `.txt`.)
  private static func fit(_ written: inout JSONObject, toListCalled name: String) {
    let (format, _) = ListFormat.named(name)
    guard format != .auto, format != .txt, case .object(var input)? = written["input"],
      case .string(let other)? = input["format"], !other.hasPrefix(format.rawValue)
    else { return }
    input.members.removeAll { $0.name == "format" }
    written.set("input", .object(input))
  }
}

extension JSONObject {
  /// Gives a member a value, in its place or behind the others.
  mutating func set(_ name: String, _ value: JSONValue) {
    if let index = members.firstIndex(where: { $0.name == name }) {
      members[index].value = value
    } else {
      append(name, value)
    }
  }

  /// Gives the stage of a slot another path, and leaves its other options.
  fileprivate mutating func setPath(_ path: String, of slot: String) {
    var stage: JSONObject = ["use": slot == "input" ? "list" : "directory"]
    if case .object(let object)? = self[slot] { stage = object }
    // A dollar in a path of the command line is one.
    stage.set("path", .string(path.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")))
    set(slot, .object(stage))
  }
}
