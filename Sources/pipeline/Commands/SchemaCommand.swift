import StandardStages

extension Command {
  static let schema = Command(
    name: "schema", summary: "prints the JSON Schema of configurations, or of the report",
    discussion: """
      The schema (draft 2020-12) describes a configuration in strict JSON; the program itself also reads JSON5. Stages that
      are not known here pass, as a plugin may bring them; with --config or
      --plugin they do not, as all plugins are known.
      """,
    arguments: [],
    options: [
      CommandOption(name: "--report", meaning: "of a line of the report"),
      CommandOption(name: "--config", value: "CONFIG", meaning: "with the plugins that a configuration names"),
      PluginOption.declaration,
    ],
    examples: [
      Example(line: "pipeline schema > pipeline.schema.json", meaning: "for an editor, which then completes options"),
      Example(line: "pipeline schema --report", meaning: "for programs that read results"),
    ]
  ) { arguments in
    try arguments.refuse(
      ["--config", "--plugin"], with: "--report", because: "a report is the same under every configuration")
    if arguments.contains("--report") {
      Terminal.output.write(ReportLine.schema.indentedText + "\n")
      return .success
    }
    let registry = try PluginOption.registry(arguments)
    let schema = PipelineConfiguration.schema(for: registry ?? .standard, isClosed: registry != nil)
    Terminal.output.write(schema.indentedText + "\n")
    return .success
  }
}
