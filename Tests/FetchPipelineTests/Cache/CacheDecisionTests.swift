import FetchPipeline
import Testing

/// RFC 9111, section 4, and the Fetch standard's cache modes: what a look-up means for a request.
struct CacheDecisionTests {
  private let policy = CachePolicy()
  private static let validators = ["ETag: \"v1\"", "Last-Modified: @-1000"]
  private static let conditions = fields("If-None-Match: \"v1\"", "If-Modified-Since: @-1000")

  /// A stored answer, 100 seconds old, and the decision for each mode.
  struct Row: Sendable {
    var stored: [String]?
    var mode: CacheMode
    var expected: CacheDecision

    init(_ mode: CacheMode, _ stored: [String]?, _ expected: CacheDecision) {
      self.stored = stored
      self.mode = mode
      self.expected = expected
    }
  }

  private static let fresh = ["Cache-Control: max-age=200"] + validators
  private static let stale = ["Cache-Control: max-age=50"] + validators
  private static let reload: HTTPFields = ["Cache-Control": "no-cache", "Pragma": "no-cache"]
  private static let validate = fields(
    "Cache-Control: max-age=0", "If-None-Match: \"v1\"", "If-Modified-Since: @-1000")

  static let rows: [Row] = [
    // Nothing is stored.
    Row(.default, nil, .fetch([:])), Row(.noStore, nil, .fetch(reload)), Row(.reload, nil, .fetch(reload)),
    Row(.noCache, nil, .fetch(["Cache-Control": "max-age=0"])), Row(.forceCache, nil, .fetch([:])),
    Row(.onlyIfCached, nil, .notCached),
    // A fresh answer.
    Row(.default, fresh, .serve(.hit)), Row(.noStore, fresh, .fetch(reload)), Row(.reload, fresh, .fetch(reload)),
    Row(.noCache, fresh, .revalidate(validate)), Row(.forceCache, fresh, .serve(.hit)),
    Row(.onlyIfCached, fresh, .serve(.hit)),
    // A stale one.
    Row(.default, stale, .revalidate(conditions)), Row(.noStore, stale, .fetch(reload)),
    Row(.reload, stale, .fetch(reload)), Row(.noCache, stale, .revalidate(validate)),
    Row(.forceCache, stale, .serve(.stale)), Row(.onlyIfCached, stale, .serve(.stale)),
    // Its terms.
    Row(.default, ["Cache-Control: no-cache, max-age=200"] + validators, .revalidate(conditions)),
    Row(.default, ["Cache-Control: no-cache=\"Set-Cookie\", max-age=200"] + validators, .revalidate(conditions)),
    Row(.forceCache, ["Cache-Control: no-cache, max-age=200"] + validators, .serve(.stale)),
    Row(.default, ["Cache-Control: must-revalidate, max-age=200"], .serve(.hit)),
    Row(.forceCache, ["Cache-Control: must-revalidate, max-age=50"], .serve(.stale)),
    Row(.default, ["Cache-Control: private, max-age=200"], .serve(.hit)),
    Row(.default, ["Cache-Control: immutable, max-age=200"], .serve(.hit)),
    Row(.default, ["Cache-Control: immutable, max-age=50"] + validators, .revalidate(conditions)),
    Row(.noCache, ["Cache-Control: immutable, max-age=200"] + validators, .revalidate(validate)),
    Row(
      .default, ["Cache-Control: max-age=50, stale-while-revalidate=999", "ETag: \"v1\""],
      .revalidate(fields("If-None-Match: \"v1\""))),
    Row(.default, ["Expires: @150", "Date: @0"], .serve(.hit)),
    Row(.default, ["Expires: @50", "Date: @0", "ETag: \"v1\""], .revalidate(["If-None-Match": "\"v1\""])),
    Row(
      .default, ["Age: 150", "Cache-Control: max-age=200", "ETag: \"v1\""], .revalidate(["If-None-Match": "\"v1\""])),
    Row(.default, ["Last-Modified: @-2000"], .serve(.hit)),
    Row(.default, ["Last-Modified: @-500"], .revalidate(fields("If-Modified-Since: @-500"))),
    // Validators: as they came, weak ones and unquoted ones too; none, no condition.
    Row(.default, ["ETag: W/\"v1\""], .revalidate(["If-None-Match": "W/\"v1\""])),
    Row(.default, ["ETag: v1"], .revalidate(["If-None-Match": "v1"])),
    Row(.default, ["Last-Modified: lately"], .revalidate(["If-Modified-Since": "lately"])),
    Row(.default, ["ETag:"], .fetch([:])), Row(.default, ["ETag: \"\u{1}\""], .fetch([:])),
    Row(.default, [], .fetch([:])), Row(.noCache, ["Date: @0"], .fetch(["Cache-Control": "max-age=0"])),
  ]

  @Test(arguments: rows) func modes(row: Row) throws {
    let stored = try row.stored.map { lines in
      var answer = try head()
      answer.headers = fields(lines)
      return answer
    }
    #expect(policy.decision(for: try get(row.mode), stored: stored, now: received + 100) == row.expected)
  }

  /// Directives of the request (RFC 9111, section 5.2.1), against an answer that is 100 seconds old and fresh for
  /// `lifetime`.
  @Test(arguments: [
    ("max-age=101", 200, "hit"), ("max-age=99", 200, "revalidate"), ("max-age=0", 200, "revalidate"),
    ("max-age=x", 200, "revalidate"), ("min-fresh=100", 200, "hit"), ("min-fresh=101", 200, "revalidate"),
    ("min-fresh=x", 200, "hit"), ("no-cache", 200, "revalidate"), ("no-store", 200, "fetch"),
    ("no-transform", 200, "hit"), ("max-stale", 50, "stale"), ("max-stale=50", 50, "stale"),
    ("max-stale=49", 50, "revalidate"), ("max-stale=x", 50, "revalidate"), ("max-stale, max-age=99", 50, "revalidate"),
    ("max-stale, no-cache", 50, "revalidate"), ("only-if-cached", 200, "hit"), ("only-if-cached", 50, "not-cached"),
    ("only-if-cached, max-stale", 50, "stale"), ("only-if-cached, no-store", 200, "not-cached"),
  ])
  func directivesOfTheRequest(directives: String, lifetime: Int, expected: String) throws {
    let stored = try head(200, "Cache-Control: max-age=\(lifetime)", "ETag: \"v1\"")
    let request = try get(.default, "Cache-Control: \(directives)")
    let decision = policy.decision(for: request, stored: stored, now: received + 100)
    switch expected {
    case "hit": #expect(decision == .serve(.hit))
    case "stale": #expect(decision == .serve(.stale))
    case "revalidate": #expect(decision == .revalidate(["If-None-Match": "\"v1\""]))
    case "fetch": #expect(decision == .fetch([:]))
    default: #expect(decision == .notCached)
    }
  }

  @Test(arguments: ["must-revalidate", "no-cache"])
  func noRequestTakesAStaleAnswerThatForbidsIt(term: String) throws {
    let stored = try head(200, "Cache-Control: max-age=50, \(term)", "ETag: \"v1\"")
    let request = try get(.default, "Cache-Control: max-stale")
    #expect(
      policy.decision(for: request, stored: stored, now: received + 100) == .revalidate(["If-None-Match": "\"v1\""]))
  }

  @Test func pragmaCountsWhereThereIsNoCacheControl() throws {
    let stored = try head(200, "Cache-Control: max-age=200", "ETag: \"v1\"")
    let old = try get(.default, "Pragma: no-cache")
    #expect(policy.decision(for: old, stored: stored, now: received) == .revalidate(["If-None-Match": "\"v1\""]))
    let both = try get(.default, "Pragma: no-cache", "Cache-Control: max-age=500")
    #expect(policy.decision(for: both, stored: stored, now: received) == .serve(.hit))
  }

  @Test func fieldsOfTheRequestAreNotReplaced() throws {
    let request = try get(.reload, "cache-control: no-transform")
    #expect(policy.decision(for: request, stored: nil, now: received) == .fetch(["Pragma": "no-cache"]))
  }

  @Test(arguments: [
    "Range: bytes=0-99", "If-Range: \"v1\"", "if-none-match: \"v0\"", "If-Modified-Since: @0", "If-Match: *",
    "If-Unmodified-Since: @0",
  ])
  func aConditionOfItsOwnBypassesTheCache(line: String) throws {
    let stored = try head(200, "Cache-Control: max-age=200")
    #expect(policy.decision(for: try get(.default, line), stored: stored, now: received) == .fetch([:]))
    #expect(policy.decision(for: try get(.onlyIfCached, line), stored: stored, now: received) == .notCached)
  }

  @Test(arguments: [HTTPMethod.head, .post(.empty), .put(.empty), .patch(.empty), .delete])
  func onlyAGetIsAnswered(method: HTTPMethod) throws {
    var request = try get()
    request.method = method
    let stored = try head(200, "Cache-Control: max-age=200")
    #expect(policy.decision(for: request, stored: stored, now: received) == .fetch([:]))
  }

  @Test(arguments: CacheMode.allCases) func remakingTakesWhateverIsThere(mode: CacheMode) throws {
    let old = try head(200, "Cache-Control: max-age=0, must-revalidate, no-cache")
    let request = try get(mode)
    #expect(policy.decision(for: request, stored: old, now: received + 1e9, remaking: true) == .serve(.stale))
    let fresh = try head(200, "Cache-Control: max-age=60")
    #expect(policy.decision(for: request, stored: fresh, now: received, remaking: true) == .serve(.hit))
    #expect(
      policy.decision(for: request, stored: nil, now: received, remaking: true)
        == policy.decision(for: request, stored: nil, now: received))
    // There is nothing in a refusal to make anything of.
    let gone = try head(404, "Cache-Control: max-age=0", "ETag: \"v1\"")
    #expect(
      policy.decision(for: request, stored: gone, now: received + 9, remaking: true)
        == policy.decision(for: request, stored: gone, now: received + 9))
  }
}
