/// A run over a list: takes rows as fast as they can be worked on, and reports each when it is done.
struct BatchRun: Sendable {
  private let item: ItemRun
  private let report: any ReportSink
  private let deadlines: ItemDeadlines
  private let window: AdmissionWindow
  private let control: RunControl
  private let progress: Lock<RunProgress>
  private let state: Lock<State>

  private struct State {
    /// What makes it impossible to go on, once it has happened.
    var fatal: (any Error)?
    var failures: FailureWindow?
    var hasTooManyFailures = false
    /// Whether rows were left because the run was stopped.
    var isCut = false
    /// Whether all was ended at once.
    var isCancelled = false
    /// What takes the rows.
    var reading: Task<Void, any Error>?
  }

  init(
    item: ItemRun, report: any ReportSink, limits: Limits, window: Int, control: RunControl, clock: any PipelineClock,
    progress: Lock<RunProgress>
  ) {
    self.item = item
    self.report = report
    deadlines = ItemDeadlines(limit: limits.itemTime, clock: clock)
    self.window = AdmissionWindow(capacity: window)
    self.control = control
    self.progress = progress
    state = Lock(State(failures: limits.failureRate.map(FailureWindow.init)))
  }

  /// Runs to the end of `source`, or until it is stopped. Throws what makes it impossible to go on.
  func run(_ source: some ItemSource) async throws -> RunOutcome {
    let watch = Task { await deadlines.watch() }
    defer { watch.cancel() }
    let reading = state.withLock { state in
      let reading = Task { try await takeRows(of: source) }
      state.reading = reading
      return reading
    }
    control.onStop { [deadlines] in
      // A source that waits, for a silent standard input perhaps, may wait for ever.
      reading.cancel()
      deadlines.cancelWaiting()
      Task {
        try? await Task.sleep(for: .seconds(9))
        deadlines.cancelAll()
      }
    }
    do {
      try await withTaskCancellationHandler {
        try await reading.value
        // While items are in hand as well.
        await window.drain()
      } onCancel: {
        cancel()
      }
    } catch {
      // What was begun is finished and committed before the input's failure ends the run.
      await window.drain()
      throw state.withLock { $0.fatal } ?? error
    }
    await window.drain()
    let (fatal, hasTooManyFailures, isCut) = state.withLock { ($0.fatal, $0.hasTooManyFailures, $0.isCut) }
    if let fatal { throw fatal }
    let ending: RunOutcome.Ending = hasTooManyFailures ? .tooManyFailures : isCut ? .interrupted : .complete
    return RunOutcome(progress: progress.withLock { $0 }, ending: ending)
  }

  /// Ends everything at once: nothing is begun, and what is in hand is given up. The next run takes it up.
  func cancel() {
    let reading = state.withLock { state in
      (state.isCancelled, state.isCut) = (true, true)
      return state.reading
    }
    reading?.cancel()
    deadlines.cancelAll()
  }

  /// Begins the rows one after the other, as there is room for them, to the end of `source` or of the run.
  private func takeRows(of source: some ItemSource) async throws {
    do {
      for try await row in source {
        if isOver { return noteCut() }
        await window.enter()
        if isOver {
          window.leave()
          return noteCut()
        }
        begin(row)
      }
    } catch is CancellationError where isOver {}
    if isOver { noteCut() } else { progress.withLock { $0.isInputRead = true } }
  }

  /// Whether no further row is taken.
  private var isOver: Bool {
    control.isStopping || item.attempts.isUsedUp
      || state.withLock { $0.fatal != nil || $0.hasTooManyFailures || $0.isCancelled }
  }

  private func begin(_ row: SourceItem) {
    progress.withLock { $0.inFlight += 1 }
    deadlines.run { deadline in
      defer {
        progress.withLock { $0.inFlight -= 1 }
        window.leave()
        if isOver { state.withLock { $0.reading }?.cancel() }
      }
      do {
        guard let result = try await item.result(of: row, deadline: deadline) else { return }
        try await report.write(result)
        note(result)
      } catch is CancellationError {
        // Given up because the run ends: the next one takes the row up again.
        noteCut()
      } catch is AttemptLimitReached {
        // Left for another run.
      } catch {
        end(because: error)
      }
    }
  }

  /// A row was left: by a stop, unless there are other reasons to end.
  private func noteCut() {
    if control.isStopping { state.withLock { $0.isCut = true } }
  }

  private func note(_ result: ImageResult) {
    progress.withLock { $0.note(result) }
    // What an earlier run knew says nothing of how this one goes.
    if result.status == .skipped || result.isRemembered { return }
    state.withLock { state in
      if state.failures?.note(failed: result.status == .failed) == true { state.hasTooManyFailures = true }
    }
  }

  private func end(because error: any Error) {
    let isFirst = state.withLock { state in
      defer { state.fatal = state.fatal ?? error }
      return state.fatal == nil
    }
    if isFirst { deadlines.cancelAll() }
  }
}
