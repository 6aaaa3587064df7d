import FetchPipeline

/// Tells on standard error what happens during a run: warnings, and on request each exchange and failure.
struct RunLog: PipelineObserver {
  private let status: StatusLine
  private let isVerbose: Bool

  init(_ status: StatusLine, isVerbose: Bool) {
    self.status = status
    self.isVerbose = isVerbose
  }

  func observe(_ event: PipelineEvent) {
    switch event {
    case .warning(let text): status.note(text)
    case .exchanged: if let text = Self.text(of: event) { status.log(text) }
    default: if isVerbose, let text = Self.text(of: event) { status.log(text) }
    }
  }

  /// One line, without anything that a terminal would obey; nil for what is not told.
  static func text(of event: PipelineEvent) -> String? {
    let milliseconds = { (duration: Duration) in "\(Int((duration.inSeconds * 1000).rounded())) ms" }
    let shown = { (url: ResourceURL) in ResourceURL.redacted(url.description) }
    let line: String?
    switch event {
    case .started(let id, let url): line = "row \(id): begins: \(url)"
    case .retrying(let url, let status, let error, let wait):
      let reason = status.map { "answered \($0)" } ?? error.map { "\($0.code.rawValue): \($0.message)" } ?? "failed"
      line = "\(shown(url)): \(reason); tried again in \(milliseconds(wait))"
    case .exchanged(let method, let url, let status, let error, let bytes, let duration):
      let result =
        status.map { "\($0)\(bytes.map { ", \($0) bytes" } ?? "")" } ?? error.map { "\($0.code.rawValue)" }
        ?? "no answer"
      line = "\(method) \(shown(url)): \(result) in \(milliseconds(duration))"
    case .finished(let result):
      let reason = result.error.map { ": \($0.code.rawValue): \($0.message)" } ?? ""
      line = "row \(result.id): \(result.status.rawValue) in \(milliseconds(result.timings.total))\(reason)"
    case .warning: line = nil
    }
    return line.map { DisplayText.escaped($0) }
  }
}
