import FetchPipeline

/// All that a run tells of its items: the report line by line, and at the end the summary and the rows that failed.
public final class RunReport: ReportSink {
  private let writer: ReportWriter
  private let failed: ReplacedFile
  private let summary = Lock(RunSummary())
  private let folder: String
  private let names: StateFileNames
  private let run: Int
  private let calls: any FileCalls
  private let start = ContinuousClock.now

  init(writer: ReportWriter, folder: String, names: StateFileNames, run: Int, calls: any FileCalls) throws {
    self.writer = writer
    self.folder = folder
    self.names = names
    self.run = run
    self.calls = calls
    failed = try reportingAsOutput { try ReplacedFile(names.failed, in: folder, calls: calls) }
  }

  /// Writes a line, counts it, and keeps the row where it failed.
  ///
  /// - Throws: `disk-full`, `write`.
  public func write(_ result: ImageResult) async throws {
    try await writer.write(result)
    summary.withLock { $0.add(result) }
    if result.status == .failed {
      try reportingAsOutput { try failed.append(JSONValue.object(result.original).encoded() + [0x0a]) }
    }
  }

  /// What has been counted so far.
  public var counted: RunSummary { summary.withLock { $0 } }

  /// Writes what is left of the report, the rows that failed, and the summary.
  ///
  /// - Throws: `disk-full`, `write`; what can be written is all the same.
  func finish(
    _ ending: RunSummary.Ending, bytesReceived: Int?, versions: [(name: String, version: String)], configuration: String
  ) async throws -> RunSummary {
    var problem: (any Error)?
    do { try await writer.finish() } catch { problem = error }
    do { try reportingAsOutput { try failed.finish() } } catch { problem = problem ?? error }
    let counted = counted
    let json = counted.json(
      run: run, ending: problem == nil ? ending : .error, seconds: (ContinuousClock.now - start).inSeconds,
      bytesReceived: bytesReceived, versions: versions, configuration: configuration)
    do {
      try reportingAsOutput {
        let file = try ReplacedFile(names.summary, in: folder, calls: calls)
        try file.append(Array(json.indentedText.utf8) + [0x0a])
        try file.finish()
      }
    } catch { problem = problem ?? error }
    if let problem { throw problem }
    return counted
  }
}
