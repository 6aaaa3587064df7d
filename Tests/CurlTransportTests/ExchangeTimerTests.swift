import FetchPipeline
import Testing

@testable import CurlTransport

/// The deadlines of an exchange, told the time by hand.
struct ExchangeTimerTests {
  private func at(_ seconds: Double) -> Moment { Moment(nanoseconds: 1_000_000_000 + Int64(seconds * 1e9)) }

  private func timer() -> ExchangeTimer {
    ExchangeTimer(attempt: .seconds(30), connect: .seconds(10), stall: .seconds(5))
  }

  @Test func nothingRunsBeforeTheStart() {
    let timer = timer()
    #expect(timer.deadline == .never)
    #expect(timer.expiry(at: at(1000)) == nil)
  }

  @Test func aLookupHasTheTimeForConnecting() {
    var timer = timer()
    timer.lookupStarted(at: at(0))
    #expect(timer.deadline == at(10))
    #expect(timer.expiry(at: at(9.9)) == nil)
    #expect(timer.expiry(at: at(10)) == .lookup)
  }

  @Test func connectingHasWhatTheLookupLeft() {
    var timer = timer()
    timer.lookupStarted(at: at(0))
    #expect(timer.connectStarted(at: at(4)) == 6_000_000_000)
    // libcurl keeps the deadline of connecting; the attempt's began with the look-up.
    #expect(timer.deadline == at(30))
    #expect(timer.expiry(at: at(30)) == .attempt)
  }

  @Test func connectingHasAtLeastAMillisecond() {
    var timer = timer()
    timer.lookupStarted(at: at(0))
    #expect(timer.connectStarted(at: at(10)) == 1_000_000)
  }

  @Test func silenceCountsFromTheLastByte() {
    var timer = timer()
    #expect(timer.connectStarted(at: at(0)) == 10_000_000_000)
    timer.connected(at: at(1))
    #expect(timer.deadline == at(6))
    timer.progressed(at: at(4))
    #expect(timer.deadline == at(9))
    #expect(timer.expiry(at: at(8.9)) == nil)
    #expect(timer.expiry(at: at(9)) == .stall)
  }

  @Test func theAttemptEndsThoughBytesCome() {
    var timer = timer()
    _ = timer.connectStarted(at: at(0))
    timer.connected(at: at(1))
    timer.progressed(at: at(28))
    #expect(timer.deadline == at(30))
    #expect(timer.expiry(at: at(30)) == .attempt)
  }

  @Test func pausesDoNotCount() {
    var timer = timer()
    _ = timer.connectStarted(at: at(0))
    timer.connected(at: at(0))
    timer.progressed(at: at(2))
    timer.paused(at: at(3))
    #expect(timer.deadline == .never)
    #expect(timer.expiry(at: at(500)) == nil)
    timer.resumed(at: at(103))
    // One second of silence had passed before the pause.
    #expect(timer.deadline == at(107))
    timer.progressed(at: at(128))
    // Thirty seconds of its own, and a hundred of the consumer's.
    #expect(timer.deadline == at(130))
    #expect(timer.expiry(at: at(130)) == .attempt)
  }

  @Test func progressInAPauseIsNone() {
    var timer = timer()
    _ = timer.connectStarted(at: at(0))
    timer.connected(at: at(0))
    timer.paused(at: at(1))
    timer.progressed(at: at(2))
    timer.paused(at: at(3))
    #expect(timer.deadline == .never)
    timer.resumed(at: at(4))
    #expect(timer.deadline == at(8))
  }

  @Test func longDurationsDoNotOverflow() {
    var timer = ExchangeTimer(attempt: .seconds(Int64.max), connect: .seconds(Int64.max), stall: .seconds(Int64.max))
    timer.lookupStarted(at: at(0))
    #expect(timer.deadline == .never)
    _ = timer.connectStarted(at: at(1))
    timer.connected(at: at(2))
    #expect(timer.expiry(at: at(1e9)) == nil)
  }
}
