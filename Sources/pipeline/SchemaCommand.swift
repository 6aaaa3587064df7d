import StandardStages

extension Command {
  static let schema = Command(
    name: "schema", summary: "prints a JSON Schema",
    discussion: "With --report, the schema of a line of the report.",
    arguments: [], options: [CommandOption(name: "--report", meaning: "of a line of the report")]
  ) { arguments in
    guard arguments.contains("--report") else {
      throw CommandFailure.usage("say which schema: pipeline schema --report")
    }
    Terminal.output.write(ReportLine.schema.indentedText + "\n")
    return .success
  }
}
