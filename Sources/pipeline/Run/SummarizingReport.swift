import FetchPipeline

/// Passes results on to the report, and keeps which causes failures have, with the first case of each.
final class SummarizingReport: ReportSink {
  private let report: (any ReportSink)?
  private let causes = Lock<[FailureCause: FailureGroup]>([:])

  /// More causes than these are counted by their code alone.
  private static let most = 200

  /// - Parameter report: takes the results; nil where none are kept.
  init(_ report: (any ReportSink)?) {
    self.report = report
  }

  func write(_ result: ImageResult) async throws {
    try await report?.write(result)
    guard let error = result.error else { return }
    causes.withLock { causes in
      var cause = FailureCause(error)
      if causes[cause] == nil, causes.count >= Self.most { cause.detail = nil }
      let first = FailureGroup(cause: cause, count: 0, id: result.id, url: result.url, message: error.message)
      causes[cause, default: first].count += 1
    }
  }

  /// The causes of failures, the most frequent first.
  var failures: [FailureGroup] {
    causes.withLock { $0.values.sorted { ($1.count, $0.cause.name) < ($0.count, $1.cause.name) } }
  }
}

/// What failures have in common, as far as it decides what to do about them.
struct FailureCause: Hashable, Sendable {
  let code: PipelineError.Code
  /// The status of the answer, where that is the failure.
  let status: Int?
  /// What came in place of a picture.
  var detail: String?
  let isTransient: Bool

  init(code: PipelineError.Code, status: Int? = nil, detail: String? = nil, isTransient: Bool? = nil) {
    self.code = code
    self.status = status
    self.detail = detail
    self.isTransient = isTransient ?? code.isUsuallyTransient
  }

  init(_ error: PipelineError) {
    // What it was stands before the details in brackets.
    let kind = error.message.split(separator: "(", maxSplits: 1).first.map(String.init)?.dropSuffix(" ")
    self.init(
      code: error.code, status: error.code == .httpStatus ? error.httpStatus : nil,
      detail: error.code == .notAnImage ? kind : nil, isTransient: error.isTransient)
  }

  /// `http-status 404`.
  var name: String {
    [
      code.rawValue, status.map(String.init),
      detail.map { "(\(DisplayText.shortened(DisplayText.escaped($0), to: 40)))" },
    ]
    .compactMap { $0 }.joined(separator: " ")
  }
}

/// A cause of failures, how often it occurred, and its first case.
struct FailureGroup: Sendable {
  let cause: FailureCause
  var count: Int
  let id: String
  let url: String
  let message: String
}

extension String {
  fileprivate func dropSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
