extension Pipeline {
  /// Runs over the configured input as the program does: with ledger, report, summary and lock in the state folder.
  ///
  /// - Parameters:
  ///   - options: which rows are taken, and what is done about those that are known.
  ///   - control: stops the run from outside.
  ///   - progress: is kept up to date.
  /// - Throws: `RunLock.HeldError` where another run is going on in the folder; what makes it impossible to go on: an output,
  ///   input or report that cannot be read or written. The state is written and closed all the same.
  @discardableResult
  public func run(
    options: RunOptions = RunOptions(), control: RunControl = RunControl(),
    progress: Lock<RunProgress> = Lock(RunProgress())
  ) async throws -> RunOutcome {
    guard let folder = stateFolder else {
      throw ConfigurationError(
        file: nil,
        problems: [
          ConfigurationProblem(path: "state", message: "this output has no folder: name one for the run's state")
        ])
    }
    let destination: StateFolder.ReportDestination =
      switch reportPath {
      case nil: .stateFolder
      case "-": .descriptor(1)
      case let path?: .file(path)
      }
    if options.isDryRun {
      let shard = options.shard.map { ($0.index, $0.count) }
      let known = LedgerSnapshot(folder: folder, shard: shard)
      if let problem = known.problem { observer.observe(.warning(problem)) }
      return try await run(store: known, report: NoReport(), options: options, control: control, progress: progress)
    }
    let output = configuration.output?.stage as? DirectoryOutputStage
    let state = try StateFolder.open(
      path: folder, shard: options.shard.map { ($0.index, $0.count) }, durability: output?.durability ?? .batch,
      report: destination, keeping: listPath.map { [($0, "the list of this run")] } ?? [])
    for note in state.notes { observer.observe(.warning(note)) }
    let outcome: RunOutcome
    do {
      outcome = try await run(
        store: state.ledger, report: state.report, options: options, control: control, progress: progress)
    } catch {
      // What ended the run says more than what could not be written afterwards.
      _ = try? await state.close(.error)
      throw error
    }
    try await state.close(RunSummary.Ending(outcome.ending))
    return outcome
  }

  /// The file of the list, where there is one.
  private var listPath: String? {
    guard let list = configuration.input?.stage as? ListInputStage, list.path != "-" else { return nil }
    return context.resolving(list.path)
  }
}

/// Tells nobody.
private struct NoReport: ReportSink {
  func write(_ result: ImageResult) async throws {}
}
