import FetchPipeline
import Testing

@testable import BatchIO

@Suite struct RunSummaryTests {
  static func failed(_ url: String, _ code: PipelineError.Code) -> ImageResult {
    result(url, status: .failed, error: PipelineError(.transport, code, "x"))
  }

  @Test func everythingIsCounted() throws {
    var summary = RunSummary()
    summary.add(try documentedResult())
    summary.add(try documentedResult())
    // What was done once is counted once.
    var repeated = try documentedResult()
    repeated.isRepeated = true
    summary.add(repeated)
    var skipped = try documentedResult()
    skipped.status = .skipped
    skipped.exchange = nil
    summary.add(skipped)
    for _ in 0..<3 { summary.add(Self.failed("http://b.example/x", .dns)) }
    summary.add(Self.failed("http://a.example:81/x", .connect))
    summary.add(Self.failed("no URL", .invalidInput))
    var redirected = Self.failed("http://a.example/", .httpStatus)
    redirected.exchange = ExchangeDescription(
      status: 500, url: try ResourceURL("https://cdn.example/"), attempts: 3, cache: .stale)
    summary.add(redirected)

    // What an earlier run heard is none of this run's answers.
    var remembered = redirected
    remembered.isRemembered = true
    summary.add(remembered)

    #expect(summary.items == 11)
    #expect(summary.statuses == [.ok: 3, .skipped: 1, .failed: 7])
    #expect(summary.bytesIn == 2 * 2_154_123)
    #expect(summary.bytesOut == 2 * 9_120)
    let json = summary.json(
      run: 7, ending: .complete, seconds: 4.5, bytesReceived: nil,
      versions: [("program", "1.2.3"), ("sqlite", "3.40.1")], configuration: "abc")
    guard case .object(var object) = json else {
      Issue.record("no object")
      return
    }
    guard case .number(let memory)? = object["peakMemory"] else {
      Issue.record("no memory")
      return
    }
    // A test program takes more than 1 MB and less than 100 GB.
    #expect((1_000_000..<100_000_000_000).contains(memory.integer ?? 0))
    object.members.removeAll { $0.name == "peakMemory" }
    #expect(
      JSONValue.object(object).compactText
        == #"{"run":7,"ending":"complete","items":11,"status":{"ok":3,"skipped":1,"failed":7},"#
        + #""errors":{"dns":3,"http-status":2,"connect":1,"invalid-input":1},"#
        + #""cache":{"hit":0,"miss":3,"revalidated":0,"stale":1,"none":0},"#
        + #""hosts":[{"host":"b.example","failed":3},{"host":"cdn.example","failed":2},{"host":"a.example","failed":1}],"#
        + #""bytes":{"in":4308246,"out":18240},"seconds":4.5,"itemsPerSecond":2.444,"#
        + #""versions":{"program":"1.2.3","sqlite":"3.40.1"},"configuration":"abc"}"#)
  }

  @Test func theTwentyHostsThatFailMostAreShown() {
    var summary = RunSummary()
    for number in 1...30 {
      for _ in 0..<number { summary.add(Self.failed("http://h\(number).example/", .timeout)) }
    }
    #expect(summary.failingHosts.map(\.failed) == Array((11...30).reversed()))
    #expect(summary.failingHosts.first?.host == "h30.example")
  }

  @Test func veryManyHostsDoNotGrowItAndTheWorstIsStillFound() {
    var summary = RunSummary()
    for number in 0..<25_000 {
      summary.add(Self.failed("http://h\(number).example/", .timeout))
      if number % 10 == 0 { summary.add(Self.failed("http://worst.example/", .timeout)) }
    }
    #expect(summary.failingHosts.first?.host == "worst.example")
    #expect(summary.failingHosts.first?.failed == 2_500)
    #expect(summary.failingHosts.count == 20)
  }
}
