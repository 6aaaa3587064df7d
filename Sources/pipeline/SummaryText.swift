import FetchPipeline

/// What a person reads when a run is over.
struct SummaryText {
  let progress: RunProgress
  let failures: [SummarizingReport.Failure]
  let seconds: Double
  /// Where the pictures are, where that is a folder.
  let outputFolder: String?
  let reportPath: String

  private static let shownFailures = 8

  var text: String {
    var lines = [headline]
    let width = failures.prefix(Self.shownFailures).map { "\($0.count) \($0.code.rawValue)".count }.max() ?? 0
    for failure in failures.prefix(Self.shownFailures) {
      let label = "\(failure.count) \(failure.code.rawValue)"
      let padding = String(repeating: " ", count: width - label.count)
      lines.append("  \(label)\(padding)  \(failure.url.prefix(100)): \(failure.message.prefix(160))")
    }
    if failures.count > Self.shownFailures { lines.append("  and \(failures.count - Self.shownFailures) other errors") }
    if let outputFolder { lines.append("pictures: \(outputFolder)") }
    lines.append("report:   \(reportPath)")
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    let count = ProgressDisplay.grouped
    if progress.done > 0, progress.done == progress.skipped + progress.remembered {
      let remembered = progress.remembered == 0 ? "" : ", \(count(progress.remembered)) failures are remembered"
      return "Nothing was to do: of \(count(progress.done)) rows \(count(progress.skipped)) stand\(remembered)"
    }
    var parts = ["\(count(progress.ok)) made"]
    if progress.skipped > 0 { parts.append("\(count(progress.skipped)) stood already") }
    if progress.failed > 0 {
      let remembered = progress.remembered > 0 ? " (\(count(progress.remembered)) of them in an earlier run)" : ""
      parts.append("\(count(progress.failed)) failed\(remembered)")
    }
    let rate = seconds > 0 ? Double(progress.done) / seconds : 0
    let time =
      "in \(JSONNumber(seconds, decimals: seconds < 10 ? 1 : 0).text) s, \(count(Int(rate.rounded()))) a second"
    return "\(count(progress.done)) rows: \(parts.joined(separator: ", ")) (\(time))"
  }
}
