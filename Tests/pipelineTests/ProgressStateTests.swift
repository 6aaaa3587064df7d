import FetchPipeline
import Testing

@testable import pipeline

/// Progress: rate and time left by what is really tried.
struct ProgressStateTests {
  private func state(
    ok: Int = 0, skipped: Int = 0, failed: Int = 0, total: Int? = nil, rate: Double? = nil, limit: Int? = nil
  ) -> ProgressState {
    var progress = RunProgress()
    (progress.ok, progress.skipped, progress.failed) = (ok, skipped, failed)
    return ProgressState(
      progress: progress, total: total.map { ExpectedRows(count: $0, isExact: true) }, rate: rate, limit: limit)
  }

  @Test func skippedRowsDoNotCountForTheRate() {
    var meter = RateMeter()
    let start = ContinuousClock.now
    // Ten seconds of skipping, then ten rows a second.
    for second in 0..<10 { meter.note(0, at: start + .seconds(second)) }
    #expect(meter.rate == nil)
    for second in 10...20 { meter.note((second - 9) * 10, at: start + .seconds(second)) }
    #expect(meter.rate.map { abs($0 - 10) < 0.01 } == true)
  }

  @Test func theTimeLeftIsThatOfTheRowsLeft() {
    #expect(state(ok: 50, total: 150, rate: 10).secondsLeft == 10)
    #expect(state(ok: 50, total: 150).secondsLeft == nil)
    #expect(state(ok: 50, rate: 10).secondsLeft == nil)
    #expect(state(ok: 50, total: 1000, rate: 10, limit: 60).secondsLeft == 1)
  }

  @Test func aLineFitsAndColoursOnlyWhereWanted() {
    let state = state(ok: 1500, failed: 3, total: 3000, rate: 12.5)
    #expect(state.line(width: 200, barWidth: 0, showsColor: false) == "1,503/3,000  13/s  3 failed  2 min 0 s left")
    #expect(state.line(width: 200, barWidth: 0, showsColor: true).contains("\u{1b}[31m3 failed\u{1b}[0m"))
    for width in 1...120 {
      let line = state.line(width: width, barWidth: 24, showsColor: false)
      #expect(DisplayText.width(of: line) <= max(width - 1, 1), "\(width): \(line)")
    }
  }

  @Test func aProgramReadsObjects() {
    let json = state(ok: 2, skipped: 1, total: 10, rate: 4).json(isFinal: false)
    guard case .object(let object) = json else {
      Issue.record("not an object")
      return
    }
    #expect(object["done"] == 3)
    #expect(object["total"] == 10)
    #expect(object["final"] == false)
    #expect(object["etaSeconds"] == .number(JSONNumber(1.75, decimals: 2)))
    #expect(["ok", "skipped", "failed", "rate", "inFlight"].allSatisfy { object[$0] != nil })
  }

  @Test func durationsAreReadAtAGlance() {
    #expect(durationText(0.2) == "1 s")
    #expect(durationText(75) == "1 min 15 s")
    #expect(durationText(7325) == "2 h 2 min")
    #expect(grouped(1_234_567) == "1,234,567")
    #expect(grouped(12) == "12")
  }
}
