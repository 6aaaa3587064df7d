import StandardStages

extension Command {
  static let run = Command(
    name: "run", summary: "makes the pictures of a list, as a configuration says",
    discussion: """
      What stands already is skipped without a request; transient failures of an earlier run are tried again, permanent
      ones are remembered. A run that was interrupted or killed goes on where it was.

      Results go to the report, progress and the summary to standard error. The exit status is 0 if all items are done, 1 if
      some failed, 2 for a mistake in the configuration, 74 if input, output or report cannot be read or written, 130 or 143
      after SIGINT or SIGTERM.
      """,
    arguments: [
      Argument(name: "CONFIG", meaning: "the configuration, JSON5; the smallest is {\"input\": \"urls.txt\"}")
    ],
    options: [
      CommandOption(
        name: "--progress", value: "STYLE", choices: ProgressStyle.allCases.map(\.rawValue),
        meaning: "how progress is shown: a bar on a terminal and lines elsewhere (auto), one of both, or not at all"),
      CommandOption(name: "--quiet", short: "-q", meaning: "neither progress nor a summary; errors are still shown"),
    ]
  ) { arguments in
    try await Run(arguments).perform()
  }
}

/// A run from its command line to its exit status.
private struct Run {
  private let file: ConfigurationFile
  private let progressStyle: ProgressStyle
  private let isQuiet: Bool

  init(_ arguments: ParsedArguments) throws {
    isQuiet = arguments.contains("--quiet")
    progressStyle = isQuiet ? .none : arguments["--progress"].flatMap(ProgressStyle.init) ?? .auto
    file = try ConfigurationFile(path: arguments.words[0])
  }

  func perform() async throws -> ExitStatus {
    let control = RunControl()
    let interruption = Interruption.watch(control)
    let pipeline = try file.pipeline()
    try checkInput(of: pipeline)
    let state = try openState(for: pipeline)
    for note in state.notes { Terminal.error.write("pipeline: note: \(note)\n") }

    let report = SummarizingReport(state.report)
    let progress = Lock(RunProgress())
    let source = pipeline.source
    let display = Task {
      await ProgressDisplay(
        style: progressStyle, terminal: .error, current: { progress.withLock { $0 } },
        expected: { source?.expectedRows }
      ).show()
    }
    let start = ContinuousClock.now
    let result: Result<RunOutcome, any Error>
    do {
      result = .success(
        try await pipeline.run(store: state.ledger, report: report, control: control, progress: progress))
    } catch {
      result = .failure(error)
    }
    display.cancel()
    await display.value
    await pipeline.shutdown()

    let ending: RunSummary.Ending =
      switch result {
      case .success(let outcome):
        switch outcome.ending {
        case .complete: .complete
        case .interrupted: .interrupted
        case .tooManyFailures: .failureRate
        }
      case .failure: .error
      }
    try await state.close(ending, versions: ProgramVersions.all, configuration: file.fingerprint)
    let outcome = try result.get()
    if !isQuiet {
      Terminal.error.write(
        SummaryText(
          progress: outcome.progress, failures: report.failures, seconds: (ContinuousClock.now - start).inSeconds,
          outputFolder: pipeline.output.stateFolder, reportPath: reportPath(in: state)
        ).text)
    }
    switch outcome.ending {
    case .interrupted: return interruption.status ?? .interrupted
    case .tooManyFailures: return .failureRate
    case .complete: break
    }
    return outcome.progress.failed > 0 ? .someFailed : .success
  }

  /// A list that is not there is a mistake of the user: nothing is made for it.
  private func checkInput(of pipeline: Pipeline) throws {
    do {
      try pipeline.source?.checkThatItExists()
    } catch let error as PipelineError where error.code == .notFound {
      throw CommandFailure.usage(error.message)
    }
  }

  private func openState(for pipeline: Pipeline) throws -> StateFolder {
    guard let folder = file.configuration.state.map(file.resolving) ?? pipeline.output.stateFolder else {
      throw CommandFailure.usage("this output has no folder: name one for the run's state (\"state\")")
    }
    let output = file.configuration.output?.stage as? DirectoryOutputStage
    do {
      return try StateFolder.open(
        path: folder, durability: output?.durability ?? .batch,
        report: reportDestination)
    } catch let held as RunLock.HeldError {
      throw CommandFailure.usage("\(held)")
    }
  }

  private var reportDestination: StateFolder.ReportDestination {
    guard let path = file.configuration.report.path.map(file.resolving) else { return .stateFolder }
    return StandardOutput.isMeant(by: path) ? .descriptor(StandardOutput.reserved) : .file(path)
  }

  private func reportPath(in state: StateFolder) -> String {
    file.configuration.report.path.map(file.resolving) ?? "\(state.path)/report.jsonl"
  }
}
