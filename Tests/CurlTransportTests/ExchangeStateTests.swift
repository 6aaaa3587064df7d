import FetchPipeline
import Testing

@testable import CurlTransport

/// The states of an exchange, without a connection.
struct ExchangeStateTests {
  private let lost = PipelineError(.transport, .connectionLost, "lost")

  @Test func bytesGoStraightIntoTheBufferOfWhoeverWaits() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    let buffer = try ReceiveBuffer(capacity: 10)
    #expect(state.receive(into: buffer, atLeast: 4) == nil)
    #expect(state.take("abc") == true)
    #expect(state.answer() == nil)
    #expect(buffer.count == 3)
    #expect(state.take("def") == true)
    #expect(state.answer() == .bytes(hasEnded: false))
    #expect(buffer.freeze() == SharedBytes(utf8: "abcdef"))
  }

  @Test func bytesBeforeTheQuestionAreHeld() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    #expect(state.take("abc") == true)
    #expect(state.take("def") == true)
    let buffer = try ReceiveBuffer(capacity: 4)
    #expect(state.receive(into: buffer, atLeast: 1) == .bytes(hasEnded: false))
    #expect(buffer.freeze() == SharedBytes(utf8: "abcd"))
    let rest = try ReceiveBuffer(capacity: 4)
    #expect(state.receive(into: rest, atLeast: 2) == .bytes(hasEnded: false))
    #expect(rest.freeze() == SharedBytes(utf8: "ef"))
  }

  @Test func whatDoesNotFitIsHeldForTheNextBuffer() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    let buffer = try ReceiveBuffer(capacity: 4)
    #expect(state.receive(into: buffer, atLeast: 100) == nil)
    #expect(state.take("abcdef") == true)
    #expect(state.answer() == .bytes(hasEnded: false))
    state.end(nil)
    let rest = try ReceiveBuffer(capacity: 4)
    #expect(state.receive(into: rest, atLeast: 4) == .bytes(hasEnded: true))
    #expect(buffer.freeze() == SharedBytes(utf8: "abcd"))
    #expect(rest.freeze() == SharedBytes(utf8: "ef"))
  }

  @Test func theEndIsToldWithTheLastByte() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    let buffer = try ReceiveBuffer(capacity: 3)
    #expect(state.receive(into: buffer, atLeast: 3) == nil)
    #expect(state.take("abc") == true)
    state.end(nil)
    #expect(state.answer() == .bytes(hasEnded: true))
    #expect(state.receive(into: try ReceiveBuffer(capacity: 1), atLeast: 1) == .bytes(hasEnded: true))
  }

  @Test func aFullBufferIsAnsweredAtOnce() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    let buffer = try ReceiveBuffer(capacity: 0)
    #expect(state.receive(into: buffer, atLeast: 1) == .bytes(hasEnded: false))
  }

  @Test func aFailureComesAfterTheBytesBeforeIt() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    #expect(state.take("abc") == true)
    state.end(lost)
    let buffer = try ReceiveBuffer(capacity: 10)
    #expect(state.receive(into: buffer, atLeast: 2) == .bytes(hasEnded: false))
    #expect(state.receive(into: buffer, atLeast: 1) == .failure(lost))
    #expect(buffer.count == 3)
  }

  @Test func aFailureEndsAWaitThatCannotBeMet() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    #expect(state.receive(into: try ReceiveBuffer(capacity: 10), atLeast: 10) == nil)
    #expect(state.take("abc") == true)
    state.end(lost)
    #expect(state.answer() == .failure(lost))
  }

  @Test func theFirstReasonCounts() {
    var state = ExchangeState(maximumBytes: 2)
    state.headArrived()
    #expect(state.take("ab") == true)
    #expect(state.take("c") == false)
    state.abort(lost)
    state.end(lost)
    state.end(nil)
    #expect((state.failure as? PipelineError)?.code == .bodyTooLarge)
    #expect(state.take("d") == false)
  }

  @Test func cancellationDropsWhatIsHeld() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    #expect(state.take("abc") == true)
    state.end(CancellationError())
    let buffer = try ReceiveBuffer(capacity: 10)
    #expect(state.receive(into: buffer, atLeast: 1)?.isCancellation == true)
    #expect(buffer.count == 0)
  }

  @Test func aSecondConsumerIsTurnedAway() throws {
    var state = ExchangeState(maximumBytes: 100)
    state.headArrived()
    let first = try ReceiveBuffer(capacity: 3)
    #expect(state.receive(into: first, atLeast: 3) == nil)
    let second = state.receive(into: try ReceiveBuffer(capacity: 3), atLeast: 3)
    #expect(second?.code == .protocol)
    #expect(state.take("abc") == true)
    #expect(state.answer() == .bytes(hasEnded: false))
    #expect(first.count == 3)
  }

  @Test func theFlowPausesWhenEnoughIsHeldAndResumesWhenHalfOfItIsGone() throws {
    var state = ExchangeState(maximumBytes: 1_000_000)
    state.headArrived()
    #expect(state.take(count: 65_535) == true)
    #expect(state.flowChange() == nil)
    #expect(state.take(count: 1) == true)
    #expect(state.flowChange() == .pause)
    #expect(state.flowChange() == nil)
    // What is on its way when the flow is paused is still taken.
    #expect(state.take(count: 16_384) == true)
    #expect(state.receive(into: try ReceiveBuffer(capacity: 40_000), atLeast: 1) == .bytes(hasEnded: false))
    #expect(!state.wantsToResume)
    #expect(state.flowChange() == nil)
    #expect(state.receive(into: try ReceiveBuffer(capacity: 10_000), atLeast: 1) == .bytes(hasEnded: false))
    #expect(state.wantsToResume)
    #expect(state.flowChange() == .resume)
    #expect(state.flowChange() == nil)
  }

  @Test func nothingFlowsOnceItIsOver() {
    var state = ExchangeState(maximumBytes: 1_000_000)
    state.headArrived()
    #expect(state.take(count: 70_000) == true)
    state.end(nil)
    #expect(state.isOver)
    #expect(state.flowChange() == nil)
  }

  @Test func bytesBeforeTheHeadAreNone() {
    var state = ExchangeState(maximumBytes: 100)
    #expect(!state.hasHead)
    #expect(state.take("abc") == false)
  }
}

extension ExchangeState {
  fileprivate mutating func take(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { received($0) }
  }

  fileprivate mutating func take(count: Int) -> Bool {
    [UInt8](repeating: 1, count: count).withUnsafeBytes { received($0) }
  }
}

extension ExchangeState.Receipt: Equatable {
  /// Whether both tell the same, errors compared by their code.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.bytes(let a), .bytes(let b)): a == b
    case (.failure(let a), .failure(let b)): (a as? PipelineError)?.code == (b as? PipelineError)?.code
    default: false
    }
  }

  fileprivate var code: PipelineError.Code? {
    if case .failure(let error as PipelineError) = self { error.code } else { nil }
  }

  fileprivate var isCancellation: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}
