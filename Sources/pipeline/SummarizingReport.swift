import FetchPipeline

/// Passes results on to the report, and keeps how often each error occurred, with its first case.
final class SummarizingReport: ReportSink {
  /// An error and how often it occurred.
  struct Failure: Sendable {
    let code: PipelineError.Code
    var count: Int
    let url: String
    let message: String
  }

  private let report: any ReportSink
  private let byCode = Lock<[PipelineError.Code: Failure]>([:])

  init(_ report: any ReportSink) {
    self.report = report
  }

  func write(_ result: ImageResult) async throws {
    try await report.write(result)
    guard let error = result.error else { return }
    byCode.withLock { byCode in
      let first = Failure(code: error.code, count: 0, url: result.url, message: error.message)
      byCode[error.code, default: first].count += 1
    }
  }

  /// The errors, the most frequent first.
  var failures: [Failure] {
    byCode.withLock { $0.values.sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) } }
  }
}
