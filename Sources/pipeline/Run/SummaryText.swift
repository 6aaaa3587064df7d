import FetchPipeline

/// What a person reads when a run is over: what was done, why the rest was not, and what to do next.
struct SummaryText {
  var progress: RunProgress
  var failures: [FailureGroup] = []
  var seconds = 1.0
  var ending = Ending.complete
  var isDryRun = false
  /// Whether what stands would be asked about.
  var revalidates = false
  /// What the rows came from.
  var inputName = "the input"
  /// How many rows there are, where that has been counted.
  var total: Int?
  /// Where the pictures are, where that is a folder.
  var outputFolder: String?
  /// Where the results are; nil where they went to standard output, or nowhere.
  var reportPath: String?
  /// Where the rows that failed are.
  var failedPath: String?

  /// Why a run ended.
  enum Ending {
    case complete
    case interrupted
    case tooManyFailures
  }

  private static let shown = 8
  /// So many more are shown than said to be others.
  private static let tolerated = 4

  /// The text for a terminal of `width` columns.
  func text(width: Int) -> String {
    var lines = DisplayText.wrapped(headline, columns: width)
    if isDryRun { lines.append("Nothing was fetched or written.") }
    if progress.renamed > 0 {
      let text =
        "The names of \(counted(progress.renamed, "row")) were taken, by other pictures or files: theirs end in a hash, and the "
        + "report flags them \"renamed\"."
      lines += DisplayText.wrapped(text, columns: width)
    }
    if !failures.isEmpty {
      lines.append("")
      if let diagnosis { lines += DisplayText.wrapped(diagnosis, columns: width) }
      let shown = failures.count <= Self.shown + Self.tolerated ? failures.count : Self.shown
      for group in failures.prefix(shown) { lines += text(of: group, width: width) }
      let others = failures.dropFirst(shown)
      if !others.isEmpty {
        let count = others.reduce(0) { $0 + $1.count }
        let names = Set(others.map(\.cause.name)).sorted().joined(separator: ", ")
        lines += DisplayText.wrapped("and \(counted(count, "failure")) of other causes: \(names)", columns: width - 2)
          .map { "  " + $0 }
      }
      lines += DisplayText.wrapped(prospects, columns: width)
      lines.append("")
    }
    if let outputFolder, !isDryRun { lines.append("pictures: \(DisplayText.escaped(outputFolder))") }
    if let reportPath { lines.append("report:   \(DisplayText.escaped(reportPath))") }
    if let failedPath, progress.failed > 0 {
      lines.append("failed:   \(DisplayText.escaped(failedPath)) (an input of its own)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    if isDryRun { return dryHeadline }
    switch ending {
    case .interrupted:
      let of = total.map { " of \(counted(max($0, progress.done), "row"))" } ?? ""
      return "Interrupted: \(grouped(progress.ok)) made\(of)\(others); run the same command again to go on"
    case .tooManyFailures:
      return
        "Stopped, because too many rows fail (limits.failureRate): \(counted(progress.done, "row")): \(parts)\(time)"
    case .complete: break
    }
    if progress.done == 0 { return "\(DisplayText.escaped(inputName)) has no rows" }
    if progress.done == progress.skipped, progress.confirmed > 0 {
      return "Nothing was to make: of \(counted(progress.done, "row")) \(grouped(progress.skipped)) stand, "
        + "\(grouped(progress.confirmed)) of them confirmed by their origins"
    }
    if progress.done == progress.skipped + progress.remembered {
      let remembered = progress.remembered == 0 ? "" : ", \(failed)"
      return "Nothing was to do: of \(counted(progress.done, "row")) \(grouped(progress.skipped)) "
        + "\(progress.skipped == 1 ? "stands" : "stand")\(remembered)"
    }
    return "\(counted(progress.done, "row")): \(parts)\(time)"
  }

  private var dryHeadline: String {
    if progress.done == 0 { return "\(DisplayText.escaped(inputName)) has no rows" }
    var parts = ["\(grouped(progress.ok - progress.remade)) would be made"]
    if progress.remade > 0 { parts.append("\(grouped(progress.remade)) \(revalidates ? "asked about" : "remade")") }
    parts.append("\(grouped(progress.skipped)) skipped")
    if progress.remembered > 0 { parts.append("\(grouped(progress.remembered)) are remembered to fail") }
    let unusable = progress.failed - progress.remembered
    if unusable > 0 { parts.append("\(grouped(unusable)) cannot be understood") }
    return "\(counted(progress.done, "row")): \(parts.joined(separator: ", "))"
  }

  private var parts: String {
    "\(grouped(progress.ok)) made\(progress.remade > 0 ? " (\(grouped(progress.remade)) of them anew)" : "")\(others)"
  }

  private var others: String {
    var text = ""
    if progress.skipped > 0 { text += ", \(grouped(progress.skipped)) stood already" }
    if progress.failed > 0 { text += ", \(failed)" }
    return text
  }

  private var failed: String {
    let remembered =
      progress.remembered == 0
      ? ""
      : progress.remembered == progress.failed
        ? " in an earlier run" : " (\(grouped(progress.remembered)) of them in an earlier run)"
    return "\(grouped(progress.failed)) failed\(remembered)"
  }

  /// The rate counts only what was tried in this run.
  private var time: String {
    let rate = seconds > 0 ? Double(progress.attempted) / seconds : 0
    let text = rate < 10 ? JSONNumber(rate, decimals: 1).text : grouped(Int(rate.rounded()))
    return
      " (in \(seconds < 10 ? "\(JSONNumber(seconds, decimals: 1).text) s" : durationText(seconds)), \(text) a second)"
  }

  // MARK: Failures

  private var failureCount: Int { failures.reduce(0) { $0 + $1.count } }

  /// The one cause behind most failures, where there is one.
  private var diagnosis: String? {
    guard let first = failures.first, failures.count > 1 || first.count > 1, first.count * 2 > failureCount else {
      return nil
    }
    let all = first.count == failureCount
    let share = all ? "All" : "\(Self.percent(first.count, of: failureCount))"
    return "\(share) \(all ? "\(grouped(failureCount)) failures" : "of the failures") are \(first.cause.name)."
  }

  private func text(of group: FailureGroup, width: Int) -> [String] {
    let share = failures.count > 1 ? " (\(Self.percent(group.count, of: failureCount)))" : ""
    var lines = ["  \(grouped(group.count)) \(group.cause.name)\(share)"]
    let room = max(width - 6, 20)
    let url = DisplayText.shortened(DisplayText.escaped(group.url), to: room - 10, inTheMiddle: true)
    let id = DisplayText.shortened(DisplayText.escaped(group.id), to: 20)
    lines += DisplayText.wrapped("row \(id): \(url)", columns: room).map { "      " + $0 }
    let message = DisplayText.shortened(DisplayText.escaped(group.message), to: room * 2)
    lines += DisplayText.wrapped(message, columns: room).map { "      " + $0 }
    if let advice = FailureAdvice.text(for: group.cause) {
      lines += DisplayText.wrapped(advice, columns: room - 2).enumerated().map {
        ($0.offset == 0 ? "    → " : "      ") + $0.element
      }
    }
    return lines
  }

  /// What becomes of the failures in a next run.
  private var prospects: String {
    let count = { (matches: (FailureCause) -> Bool) in
      failures.filter { matches($0.cause) }.reduce(0) { $0 + $1.count }
    }
    let isGone = { (cause: FailureCause) in cause.status == 404 || cause.status == 410 }
    let (later, gone) = (count(\.isTransient), count { isGone($0) && !$0.isTransient })
    // What cannot be understood is not remembered: it fails in every run.
    let unreadable = count { [.invalidInput, .unsupportedScheme].contains($0.code) }
    let absent = count { [.notFound, .notCached].contains($0.code) }
    let lasting = failureCount - later - gone - unreadable - absent
    var sentences: [String] = []
    if later > 0 {
      sentences.append(
        "\(grouped(later)) may succeed later: the same command tries \(later == 1 ? "it" : "them") again.")
    }
    if gone > 0 {
      sentences.append("\(grouped(gone)) \(gone == 1 ? "is" : "are") asked for again after transport.negativeLifetime.")
    }
    if absent > 0 {
      sentences.append("\(grouped(absent)) \(absent == 1 ? "is" : "are") looked for again by the same command.")
    }
    if unreadable > 0 {
      sentences.append("\(counted(unreadable, "row")) cannot be read as \(unreadable == 1 ? "it is" : "they are").")
    }
    if lasting > 0 {
      sentences.append(
        "\(grouped(lasting)) \(lasting == 1 ? "is" : "are") tried again only with --retry-failed all, or under another "
          + "configuration.")
    }
    return sentences.joined(separator: " ")
  }

  /// A share in whole percent; what is neither nothing nor all is never called so.
  static func percent(_ count: Int, of total: Int) -> String {
    guard total > 0 else { return "0 %" }
    let share = Int((Double(count) / Double(total) * 100).rounded())
    if share == 0, count > 0 { return "<1 %" }
    return "\(share == 100 && count < total ? 99 : share) %"
  }
}
