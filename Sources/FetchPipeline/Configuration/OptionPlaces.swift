extension StageRegistry {
  /// Where a name belongs that stands in the wrong place of a configuration: `; "resize" is a stage of "transform"`. Empty
  /// where it is known nowhere.
  func placeHint(for name: String) -> String {
    let stages = descriptions.filter { $0.name == name }
    if let stage = stages.first { return "; \"\(name)\" is a stage of \"\(stage.slot)\"" }
    if PipelineConfiguration.options.contains(where: { $0.name == name }) {
      return "; \"\(name)\" stands at the top of a configuration"
    }
    let groups = [
      ("limits", Limits.options.map(\.name)), ("report", ReportOptions.options.map(\.name)),
    ]
    let inGroups = groups.filter { $0.1.contains(name) }.map { "\"\($0.0)\"" }
    let inStages = descriptions.filter { stage in stage.options.contains { $0.name == name } }
      .map { "\"\($0.name)\" (\($0.slot))" }
    let owners = inGroups + inStages
    guard !owners.isEmpty else { return "" }
    let shown = owners.prefix(3).joined(separator: ", ") + (owners.count > 3 ? " and others" : "")
    return "; it is an option of \(shown)"
  }
}
