import StandardStages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A run from its command line to its exit status.
struct Run {
  private let settings: RunSettings
  private let file: ConfigurationFile
  private let status: StatusLine
  private let interruption: Interruption
  private let configurationPath: String

  init(_ arguments: ParsedArguments) throws {
    settings = try RunSettings(arguments)
    status = StatusLine(.error, isJSON: settings.progress == .json)
    interruption = Interruption.watch(telling: status)
    let settings = settings
    configurationPath = arguments.words[0]
    file = try ConfigurationFile(path: configurationPath) { settings.adjust(&$0, folder: $1) }
  }

  func perform() async throws -> ExitStatus {
    let pipeline = try file.pipeline(observer: RunLog(status, isVerbose: settings.isVerbose))
    try checkInput(of: pipeline)
    noteInput()
    let control = RunControl()
    interruption.begin(control)
    let run = PreparedRun(settings: settings, file: file, pipeline: pipeline, status: status, control: control)
    let ended: PreparedRun.Ended
    do {
      ended =
        settings.options.isDryRun
        ? try await run.lookOnly() : try await run.perform(reportingTo: try reportDestination())
    } catch {
      await pipeline.shutdown()
      throw error
    }
    await pipeline.shutdown()
    if !settings.isQuiet, !settings.isWorker, settings.progress != .json {
      Terminal.error.write(ended.summary.text(width: Terminal.error.textWidth))
    }
    switch ended.outcome.ending {
    case .interrupted: return interruption.status ?? .interrupted
    case .tooManyFailures: return .failureRate
    case .complete: break
    }
    return ended.outcome.progress.failed > 0 && !settings.isWorker && !settings.options.isDryRun
      ? .someFailed : .success
  }

  /// A list that is not there, or is none, is a mistake of the user: nothing is made for it.
  private func checkInput(of pipeline: Pipeline) throws {
    if let path = listPath, let hint = ConfigurationHint.text(forList: path, head: Self.head(of: path)) {
      throw CommandFailure.usage(hint)
    }
    do {
      try pipeline.source?.check()
    } catch let error as PipelineError where error.code == .notFound {
      throw CommandFailure.usage(error.message)
    } catch let error as ConfigurationError {
      throw ConfigurationError(file: configurationPath, problems: error.problems)
    }
  }

  /// Says to a person who has given no list that one is waited for.
  private func noteInput() {
    guard let list = file.configuration.input?.stage as? ListInputStage, list.path == "-", !settings.isQuiet,
      isatty(STDIN_FILENO) == 1
    else { return }
    status.note("reading rows from standard input; end with Ctrl-D")
  }

  /// The file of the list; nil where it is none.
  private var listPath: String? {
    guard let list = file.configuration.input?.stage as? ListInputStage, list.path != "-" else { return nil }
    return file.resolving(list.path)
  }

  /// The first bytes of a regular file; none of anything else.
  private static func head(of path: String) -> [UInt8] {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG, let file = fopen(path, "re") else {
      return []
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  private func reportDestination() throws -> StateFolder.ReportDestination {
    guard let path = file.configuration.report.path else { return .stateFolder }
    let resolved = file.resolving(path)
    if path != "-", !StandardOutput.isMeant(by: resolved) { return .file(resolved) }
    guard StandardOutput.reserved >= 0 else {
      throw CommandFailure(status: .inputOutput, message: "there is no standard output for the report")
    }
    return .descriptor(StandardOutput.reserved)
  }
}

/// A run whose pipeline stands.
struct PreparedRun {
  let settings: RunSettings
  let file: ConfigurationFile
  let pipeline: Pipeline
  let status: StatusLine
  let control: RunControl

  struct Ended {
    let outcome: RunOutcome
    let summary: SummaryText
  }

  func perform(reportingTo destination: StateFolder.ReportDestination) async throws -> Ended {
    let state: StateFolder
    do {
      let output = file.configuration.output?.stage as? DirectoryOutputStage
      state = try StateFolder.open(
        path: try statePath(), shard: shard, durability: output?.durability ?? .batch, report: destination,
        keeping: needed)
    } catch let held as RunLock.HeldError {
      throw CommandFailure.usage("\(held)")
    }
    for note in state.notes { status.note(note) }
    let report = SummarizingReport(state.report)
    let (result, seconds) = await work(store: state.ledger, report: report)
    let ending: RunSummary.Ending =
      switch result {
      case .success(let outcome): RunSummary.Ending(outcome.ending)
      case .failure: .error
      }
    let closing: Result<Void, any Error>
    do {
      try await state.close(ending, versions: ProgramVersions.all, configuration: file.fingerprint)
      closing = .success(())
    } catch { closing = .failure(error) }
    // What ended the run says more than what could not be written afterwards.
    let outcome = try result.get()
    try closing.get()
    var summary = summary(of: outcome, report, seconds)
    let suffix = shard.map { "-\($0.index)-of-\($0.count)" } ?? ""
    switch destination {
    case .stateFolder: summary.reportPath = "\(state.path)/report\(suffix).jsonl"
    case .file(let path): summary.reportPath = path
    case .descriptor: summary.reportPath = nil
    }
    summary.failedPath = "\(state.path)/failed\(suffix).jsonl"
    return Ended(outcome: outcome, summary: summary)
  }

  /// Goes through the list without doing anything.
  func lookOnly() async throws -> Ended {
    let known = LedgerSnapshot(folder: try statePath(), shard: shard)
    if let problem = known.problem { status.note(problem) }
    let report = SummarizingReport(nil)
    let (result, seconds) = await work(store: known, report: report)
    return Ended(outcome: try result.get(), summary: summary(of: try result.get(), report, seconds))
  }

  private func work(
    store: any ReceiptStore, report: SummarizingReport
  ) async -> (result: Result<RunOutcome, any Error>, seconds: Double) {
    let progress = Lock(RunProgress())
    let display = ProgressDisplay(
      style: settings.progress, status: status, terminal: .error, current: { progress.withLock { $0 } },
      expected: { [pipeline, shard] in
        expectedRows(of: pipeline.source, shard: shard, progress: progress.withLock { $0 })
      }, limit: settings.options.limit)
    let showing = Task { await display.show() }
    let start = ContinuousClock.now
    let result: Result<RunOutcome, any Error>
    do {
      result = .success(
        try await pipeline.run(
          store: store, report: report, options: settings.options, control: control, progress: progress))
    } catch {
      result = .failure(error)
    }
    showing.cancel()
    await showing.value
    return (result, (ContinuousClock.now - start).inSeconds)
  }

  private func summary(of outcome: RunOutcome, _ report: SummarizingReport, _ seconds: Double) -> SummaryText {
    var summary = SummaryText(progress: outcome.progress, failures: report.failures, seconds: seconds)
    summary.ending =
      switch outcome.ending {
      case .complete: .complete
      case .interrupted: .interrupted
      case .tooManyFailures: .tooManyFailures
      }
    summary.isDryRun = settings.options.isDryRun
    summary.revalidates = settings.options.revalidates
    summary.outputFolder = pipeline.output.stateFolder
    if let list = file.configuration.input?.stage as? ListInputStage {
      summary.inputName = list.path == "-" ? "standard input" : file.resolving(list.path)
    }
    summary.total = expectedRows(of: pipeline.source, shard: shard, progress: outcome.progress)?.count
    return summary
  }

  /// What the report must not be.
  private var needed: [(path: String, what: String)] {
    var needed: [(path: String, what: String)] = []
    if let path = file.path { needed.append((path, "the configuration")) }
    if let list = file.configuration.input?.stage as? ListInputStage, list.path != "-" {
      needed.append((file.resolving(list.path), "the list of this run"))
    }
    return needed
  }

  private var shard: (index: Int, count: Int)? { settings.options.shard.map { ($0.index, $0.count) } }

  private func statePath() throws -> String {
    guard let folder = pipeline.stateFolder else {
      throw CommandFailure.usage("this output has no folder: name one for the run's state (\"state\")")
    }
    return folder
  }
}

/// How many rows a run has: of a share only when all are read, before that about its part.
private func expectedRows(
  of source: (any ItemSource)?, shard: (index: Int, count: Int)?, progress: RunProgress
) -> ExpectedRows? {
  guard let rows = source?.expectedRows, let shard else { return source?.expectedRows }
  if progress.isInputRead, progress.inFlight == 0 { return ExpectedRows(count: progress.done, isExact: true) }
  return ExpectedRows(count: rows.count / shard.count, isExact: false)
}
