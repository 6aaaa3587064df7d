/// A run over a list: takes rows as fast as they can be worked on, and reports each when it is done.
struct BatchRun: Sendable {
  let item: ItemRun
  let report: any ReportSink
  let deadlines: ItemDeadlines
  let window: AdmissionWindow
  let control: RunControl
  let progress: Lock<RunProgress>
  /// What ends the run, once it has happened.
  private let fatal = Lock<(any Error)?>(nil)

  init(
    item: ItemRun, report: any ReportSink, itemTime: Duration, window: Int, control: RunControl,
    progress: Lock<RunProgress>
  ) {
    self.item = item
    self.report = report
    deadlines = ItemDeadlines(limit: itemTime)
    self.window = AdmissionWindow(capacity: window)
    self.control = control
    self.progress = progress
  }

  /// Runs to the end of `source`, or until it is stopped. Throws what makes it impossible to go on.
  func run(_ source: some ItemSource) async throws -> RunOutcome {
    let watch = Task { await deadlines.watch() }
    defer { watch.cancel() }
    control.onStop { [deadlines] in
      Task {
        try? await Task.sleep(for: .seconds(9))
        deadlines.cancelAll()
      }
    }
    do {
      var number = 0
      for try await row in source {
        if control.isStopping || fatal.withLock({ $0 != nil }) { break }
        await window.enter()
        if control.isStopping || fatal.withLock({ $0 != nil }) {
          window.leave()
          break
        }
        progress.withLock { $0.read += 1 }
        number += 1
        begin(row, number)
      }
      if !control.isStopping { progress.withLock { $0.isInputRead = true } }
    } catch {
      // What was begun is finished and committed before the input's failure ends the run.
      await window.drain()
      throw fatal.withLock { $0 } ?? error
    }
    await window.drain()
    if let error = fatal.withLock({ $0 }) { throw error }
    return RunOutcome(progress: progress.withLock { $0 }, isInterrupted: control.isStopping)
  }

  private func begin(_ row: SourceItem, _ number: Int) {
    deadlines.register(number)
    let task = Task {
      defer {
        deadlines.end(number)
        window.leave()
      }
      do {
        let result = try await item.result(of: row, deadlines: deadlines, number: number)
        try await report.write(result)
        note(result)
      } catch is CancellationError {
        // Given up because the run ends: the next one takes the row up again.
      } catch {
        end(because: error)
      }
    }
    deadlines.begin(number, task)
  }

  private func note(_ result: ImageResult) {
    progress.withLock { progress in
      switch result.status {
      case .ok: progress.ok += 1
      case .skipped: progress.skipped += 1
      case .failed:
        progress.failed += 1
        if result.isRemembered { progress.remembered += 1 }
      }
      guard result.status == .ok else { return }
      progress.bytesReceived += result.source?.byteCount ?? 0
      progress.bytesWritten += result.outputs.reduce(0) { $0 + $1.byteCount }
    }
  }

  private func end(because error: any Error) {
    let isFirst = fatal.withLock { fatal in
      defer { fatal = fatal ?? error }
      return fatal == nil
    }
    if isFirst { deadlines.cancelAll() }
  }
}
