import StandardStages

extension Command {
  static let stages = Command(
    name: "stages", summary: "lists the stages, or one with its options",
    discussion: """
      A configuration names stages in its slots: as a bare string, "resize", or with options, {"use": "resize", "width":
      300}. NAME is a stage, a slot (all its stages are shown), or a group of options like limits and report.
      """,
    arguments: [Argument(name: "NAME", meaning: "a stage, a slot, or a group of options", isRequired: false)],
    options: [
      CommandOption(name: "--config", value: "CONFIG", meaning: "with the plugins that a configuration names"),
      PluginOption.declaration,
    ],
    examples: [
      Example(line: "pipeline stages", meaning: "every slot with its stages"),
      Example(line: "pipeline stages resize", meaning: "one with its options: type, default, meaning"),
    ]
  ) { arguments in
    let registry = try PluginOption.registry(arguments) ?? .standard
    let list = StageList(registry)
    let width = Terminal.output.textWidth
    guard let name = arguments.words.first else {
      Terminal.output.write(list.overview(width: width))
      return .success
    }
    guard let page = list.page(of: name, width: width) else {
      let hint = NearestName.hint(for: name, among: list.names)
      throw CommandFailure.usage("there is no stage \"\(name)\"\(hint.hasPrefix("; known") ? "" : hint)")
    }
    Terminal.output.write(page)
    return .success
  }
}

/// The stages of a registry as a person reads them.
struct StageList {
  private let stages: [StageDescription]
  private let slots: [OptionDescription]
  private let groups: [(name: String, options: [OptionDescription])] = [
    ("limits", Limits.optionDescriptions), ("report", ReportOptions.optionDescriptions),
    ("retry", RetryPolicy.optionDescriptions), ("renditions", RenditionConfiguration.optionDescriptions),
  ]

  init(_ registry: StageRegistry) {
    stages = registry.descriptions
    slots = PipelineConfiguration.slotDescriptions
  }

  /// What may be asked for.
  var names: [String] { stages.map(\.name) + slots.map(\.name) + groups.map(\.name) }

  func overview(width: Int) -> String {
    var lines: [String] = []
    for slot in slots {
      lines += DisplayText.wrapped("\(slot.name): \(slot.meaning)", columns: width)
      let rows = stages.filter { $0.slot == slot.name }.map { [$0.name, $0.summary] }
      lines += TextTable(rows: rows, most: [24]).lines(width: width)
      if slot.defaultValue != .null, slot.defaultValue != .array([]), !rows.isEmpty {
        lines += DisplayText.wrapped("default: \(slot.defaultValue.compactText)", columns: width - 2).map { "  " + $0 }
      }
    }
    lines.append("")
    lines.append("\"pipeline stages NAME\" shows the options of one.")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The options of all stages of that name, or of a slot's, or of a group; nil where there is none.
  func page(of name: String, width: Int) -> String? {
    let found = stages.filter { $0.name == name }
    let chosen = found.isEmpty ? stages.filter { $0.slot == name } : found
    if !chosen.isEmpty { return chosen.map { page(of: $0, width: width) }.joined(separator: "\n") }
    if let group = groups.first(where: { $0.name == name }) { return table(group.options, width: width) }
    guard let slot = slots.first(where: { $0.name == name }) else { return nil }
    return table([slot], width: width)
  }

  private func page(of stage: StageDescription, width: Int) -> String {
    let head = DisplayText.wrapped("\(stage.slot): \(stage.name): \(stage.summary)", columns: width)
    let options = stage.options.isEmpty ? "  It has no options.\n" : table(stage.options, width: width)
    return head.joined(separator: "\n") + "\n" + options
  }

  private func table(_ options: [OptionDescription], width: Int) -> String {
    let rows = options.map { option in
      let value =
        option.isRequired ? "required" : option.defaultValue == .null ? "—" : Self.text(of: option.defaultValue)
      return [option.name, option.type.name, value, option.meaning]
    }
    let lines = TextTable(rows: [["option", "type", "default", "meaning"]] + rows, most: [24, 22, 18]).lines(
      width: width)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(of value: JSONValue) -> String {
    if case .object(let object) = value {
      return object.members.map { "\($0.name): \($0.value.compactText)" }.joined(separator: ", ")
    }
    return value.compactText
  }
}
