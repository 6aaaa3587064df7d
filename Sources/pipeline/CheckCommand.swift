import StandardStages

extension Command {
  static let check = Command(
    name: "check", summary: "validates a configuration and prints the pipeline that it makes",
    discussion: """
      Nothing is run and nothing is created. All mistakes are shown at once, in the order of the file, each with its place
      and what was expected; the exit status is then 2.
      """,
    arguments: [Argument(name: "CONFIG", meaning: "the configuration, JSON5")], options: []
  ) { arguments in
    let file = try ConfigurationFile(path: arguments.words[0])
    let pipeline = try file.pipeline()
    Terminal.output.write(PluginList(file.registry.plugins).text + AssembledPipeline(file.configuration).text)
    if let source = pipeline.source {
      do { try source.checkThatItExists() } catch {
        Terminal.error.write("pipeline: note: \(PipelineError(error, at: .input).message)\n")
      }
    }
    for caution in pipeline.output.cautions { Terminal.error.write("pipeline: note: \(caution)\n") }
    await pipeline.shutdown()
    return .success
  }
}

/// A configuration as a person reads it: each slot with its stages, and each stage with its effective options.
struct AssembledPipeline {
  private let configuration: PipelineConfiguration

  init(_ configuration: PipelineConfiguration) {
    self.configuration = configuration
  }

  var text: String {
    var lines: [String] = []
    for member in configuration.effectiveOptions.members where !["version", "plugins"].contains(member.name) {
      switch member.value {
      case .array(let stages):
        if stages.isEmpty { continue }
        lines.append("\(member.name)")
        for stage in stages { append(stage, to: &lines) }
      case .object(let object) where object["use"] != nil:
        lines.append("\(member.name)")
        append(member.value, to: &lines)
      case .object(let options):
        lines.append("\(member.name)")
        lines += rows(options.members)
      case .null: continue
      default: lines.append("\(member.name)  \(member.value.compactText)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func append(_ stage: JSONValue, to lines: inout [String]) {
    guard case .object(let options) = stage, case .string(let name)? = options["use"] else { return }
    lines.append("  \(name)")
    lines += rows(options.members.filter { $0.name != "use" }, indent: "    ")
  }

  private func rows(_ members: [JSONObject.Member], indent: String = "  ") -> [String] {
    let width = members.map(\.name.count).max() ?? 0
    return members.map { member in
      let padding = String(repeating: " ", count: width - member.name.count)
      let value = if case .string(let text) = member.value { text } else { member.value.compactText }
      return "\(indent)\(member.name)\(padding)  \(member.value == .null ? "—" : value)"
    }
  }
}
