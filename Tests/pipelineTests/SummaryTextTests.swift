import FetchPipeline
import Testing

@testable import pipeline

/// The summary: plurals, causes with their shares, what to do, and what a next run does about it.
struct SummaryTextTests {
  private func progress(ok: Int = 0, skipped: Int = 0, failed: Int = 0, remembered: Int = 0) -> RunProgress {
    var progress = RunProgress()
    (progress.ok, progress.skipped, progress.failed, progress.remembered) = (ok, skipped, failed, remembered)
    return progress
  }

  private func group(
    _ code: PipelineError.Code, _ count: Int, status: Int? = nil, transient: Bool? = nil
  ) -> FailureGroup {
    FailureGroup(
      cause: FailureCause(code: code, status: status, isTransient: transient), count: count, id: "7",
      url: "http://example.org/a.jpg", message: "what happened")
  }

  @Test func namesThatWereTakenAreTold() {
    var progress = RunProgress()
    (progress.ok, progress.renamed) = (5, 2)
    let text = SummaryText(progress: progress).text(width: 200)
    #expect(text.contains("The names of 2 rows were taken"), "\(text)")
    progress.renamed = 0
    #expect(!SummaryText(progress: progress).text(width: 200).contains("taken"))
  }

  @Test func numbersAndPluralsAgree() {
    #expect(SummaryText(progress: progress(ok: 1)).text(width: 80) == "1 row: 1 made (in 1 s, 1 a second)\n")
    #expect(
      SummaryText(progress: progress(ok: 1200, skipped: 34), seconds: 12).text(width: 80)
        == "1,234 rows: 1,200 made, 34 stood already (in 12 s, 100 a second)\n")
    #expect(
      SummaryText(progress: progress(skipped: 1)).text(width: 80) == "Nothing was to do: of 1 row 1 stands\n")
    #expect(
      SummaryText(progress: progress(), inputName: "urls.txt").text(width: 80) == "urls.txt has no rows\n")
  }

  @Test func theRateCountsOnlyWhatWasTried() {
    let text = SummaryText(progress: progress(ok: 10, skipped: 1000, failed: 50, remembered: 50), seconds: 5)
    #expect(text.text(width: 100).contains("2 a second"))
  }

  @Test func oneCauseBehindMostFailuresIsNamedFirst() {
    var summary = SummaryText(progress: progress(failed: 100))
    summary.failures = [group(.dns, 83), group(.httpStatus, 17, status: 404, transient: false)]
    let text = summary.text(width: 120)
    #expect(text.contains("\n83 % of the failures are dns.\n"))
    #expect(text.contains("  83 dns (83 %)\n"))
    #expect(text.contains("EAI_AGAIN"))
    #expect(text.contains("  17 http-status 404 (17 %)\n"))
    #expect(
      text.contains(
        "83 may succeed later: the same command tries them again. 17 are asked for again after"))
  }

  @Test func statusesAreCausesOfTheirOwn() {
    let statuses = [404, 503, 429, 403].map { FailureAdvice.text(for: FailureCause(code: .httpStatus, status: $0)) }
    #expect(Set(statuses).count == 4)
    #expect(statuses[2]?.contains("requestsPerSecondPerHost") == true)
    let error = PipelineError(.decode, .notAnImage, "an HTML page (33 bytes, Content-Type image/jpeg)")
    #expect(FailureCause(error).name == "not-an-image (an HTML page)")
  }

  @Test func whatOnlyAnOptionTriesAgainIsSaid() {
    var summary = SummaryText(progress: progress(failed: 1))
    summary.failures = [group(.corrupt, 1)]
    #expect(
      summary.text(width: 200).contains(
        "1 is tried again only with --retry-failed all, or under another configuration."))
  }

  @Test func anInterruptedRunSaysHowToGoOn() {
    var summary = SummaryText(progress: progress(ok: 12), ending: .interrupted)
    summary.total = 100
    #expect(
      summary.text(width: 100) == "Interrupted: 12 made of 100 rows; run the same command again to go on\n")
  }

  @Test func aDryRunSpeaksOfWhatWouldBe() {
    var known = progress(ok: 5, skipped: 2, failed: 4, remembered: 3)
    known.remade = 2
    #expect(
      SummaryText(progress: known, isDryRun: true).text(width: 120) == """
        11 rows: 3 would be made, 2 remade, 2 skipped, 3 are remembered to fail, 1 cannot be understood
        Nothing was fetched or written.

        """)
    // Nobody knows yet what an origin will say.
    #expect(
      SummaryText(progress: known, isDryRun: true, revalidates: true).text(width: 120)
        .contains("2 asked about, 2 skipped"))
  }

  @Test func whatOriginsHaveConfirmedIsSaid() {
    var known = progress(skipped: 12)
    known.confirmed = 9
    #expect(
      SummaryText(progress: known).text(width: 100).hasPrefix(
        "Nothing was to make: of 12 rows 12 stand, 9 of them confirmed by their origins\n"))
  }

  @Test func whatServersSayCannotMoveTheCursor() {
    var summary = SummaryText(progress: progress(failed: 1))
    summary.failures = [
      FailureGroup(
        cause: FailureCause(code: .httpStatus, status: 404), count: 1, id: "\u{1b}[2J", url: "http://a/\r\n\u{9b}",
        message: "said \u{1b}]0;title\u{7}")
    ]
    let text = summary.text(width: 80)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
  }

  @Test func sharesAreNeverRoundedToNothingOrAll() {
    #expect(SummaryText.percent(1, of: 1000) == "<1 %")
    #expect(SummaryText.percent(999, of: 1000) == "99 %")
    #expect(SummaryText.percent(3, of: 3) == "100 %")
    #expect(SummaryText.percent(0, of: 0) == "0 %")
  }
}
