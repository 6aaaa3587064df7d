import Testing

@testable import FetchPipeline

/// Which time of an item counts against its limit.
struct ItemTimeTests {
  @Test func timeCountsFromTheFirstActivity() {
    var time = ItemTime()
    time.note(.waits, at: .seconds(1))
    time.note(.goesOn, at: .seconds(40))
    #expect(time.elapsed(at: .seconds(41)) == nil)
    #expect(!time.hasBegun)
    time.note(.begins, at: .seconds(42))
    #expect(time.elapsed(at: .seconds(45)) == .seconds(3))
    time.note(.begins, at: .seconds(46))
    #expect(time.elapsed(at: .seconds(50)) == .seconds(8))
  }

  @Test func waitsForALaterTurnDoNotCount() {
    var time = ItemTime()
    time.note(.begins, at: .seconds(10))
    time.note(.waits, at: .seconds(12))
    #expect(time.isWaiting)
    #expect(time.elapsed(at: .seconds(100)) == .seconds(2))
    time.note(.goesOn, at: .seconds(100))
    time.note(.begins, at: .seconds(100))
    #expect(!time.isWaiting)
    #expect(time.elapsed(at: .seconds(105)) == .seconds(7))
    time.note(.waits, at: .seconds(106))
    time.note(.goesOn, at: .seconds(109))
    #expect(time.elapsed(at: .seconds(110)) == .seconds(9))
  }

  @Test func onlyWhatWorksIsEndedByItsLimit() async throws {
    let clock = SteppedClock()
    let deadlines = ItemDeadlines(limit: .seconds(20), clock: clock)
    let (waiting, working) = (Lock(false), Lock(false))
    start(in: deadlines) { deadline in
      deadline.note(.begins)
      deadline.note(.waits)
      try? await Task.sleep(for: .seconds(600))
      waiting.withLock { $0 = deadline.hasExpired }
    }
    let watch = Task { await deadlines.watch() }
    defer { watch.cancel() }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      start(in: deadlines) { deadline in
        deadline.note(.begins)
        try? await Task.sleep(for: .seconds(600))
        working.withLock { $0 = deadline.hasExpired }
        done.resume()
      }
    }
    #expect(working.withLock { $0 })
    deadlines.cancelAll()
    #expect(!waiting.withLock { $0 })
  }

  private func start(in deadlines: ItemDeadlines, _ work: @escaping @Sendable (ItemDeadline) async -> Void) {
    deadlines.run(work)
  }
}

/// A clock on which a second passes with each sleep.
private final class SteppedClock: PipelineClock {
  private let now = Lock(Duration.zero)
  var uptime: Duration { now.withLock { $0 } }
  var wallTime: Double { uptime.inSeconds }

  func sleep(for duration: Duration) async throws {
    if uptime > .seconds(100) { try await Task.sleep(for: .seconds(600)) }
    try await Task.sleep(for: .milliseconds(1))
    now.withLock { $0 += .seconds(1) }
  }
}
