import StandardStages

extension Command {
  static let check = Command(
    name: "check", summary: "validates a configuration and prints the pipeline that it makes",
    discussion: """
      Nothing is run and nothing is created. All mistakes are shown at once, in the order of the file, each with its place
      and what was expected; the exit status is then 2.

      The pipeline is printed in the order in which data flows, each stage with every option as it takes effect, also those
      that the configuration does not write. Variables like ${NAME} are shown as they are written, so that no secret is.
      """,
    arguments: [Argument(name: "CONFIG", meaning: "the configuration, JSON5")], options: [],
    examples: [Example(line: "pipeline check config.json", meaning: "before a long run, or after an edit")]
  ) { arguments in
    let path = arguments.words[0]
    let file = try ConfigurationFile(path: path)
    let pipeline = try file.pipeline()
    Terminal.output.write(PluginList(file.registry.plugins).text)
    Terminal.output.write(
      AssembledPipeline(file, resources: .current, stateFolder: pipeline.output.stateFolder)
        .text(width: Terminal.output.textWidth))
    if let source = pipeline.source {
      do { try source.check() } catch let error as ConfigurationError {
        await pipeline.shutdown()
        throw ConfigurationError(file: path, problems: error.problems)
      } catch {
        Terminal.error.write("pipeline: note: \(DisplayText.escaped(PipelineError(error, at: .input).message))\n")
      }
    }
    for caution in pipeline.cautions {
      Terminal.error.write("pipeline: note: \(DisplayText.escaped(caution))\n")
    }
    await pipeline.shutdown()
    Terminal.output.write("\n\(DisplayText.escaped(path)) is valid\n")
    return .success
  }
}
