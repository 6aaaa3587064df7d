import FetchPipeline
import Testing

/// RFC 9111, section 4.2: how long an answer is fresh, and how old it is.
struct CacheFreshnessTests {
  private let policy = CachePolicy()

  static let lifetimeRows: [([String], Double)] = [
    // 4.2.1: max-age, else Expires minus Date.
    (["Cache-Control: max-age=60", "Date: @0"], 60.0), (["Cache-Control: MAX-AGE=60"], 60),
    (["Cache-Control: public, max-age=60, immutable"], 60), (["Cache-Control: max-age=\"60\""], 60),
    (["Cache-Control: max-age = 60"], 60), (["Cache-Control: public", "Cache-Control: max-age=7"], 7),
    (["Cache-Control: max-age=60, max-age=600"], 60), (["Cache-Control: x=\"a, max-age=5\", max-age=60"], 60),
    (["Cache-Control: x=\"a\\\"\", max-age=60"], 60), (["Cache-Control: ,, max-age=60 ,"], 60),
    (["Cache-Control: max-age=0", "Expires: @500"], 0), (["Cache-Control: max-age=60", "Expires: @500"], 60),
    (["Expires: @500", "Date: @0"], 500), (["Expires: @500", "Date: @100"], 400), (["Expires: @500"], 500),
    (["Expires: @-500", "Date: @0"], 0), (["Expires: 0", "Date: @0", "Last-Modified: @-1000"], 0),
    (["Expires: -1"], 0), (["Expires:"], 0),
    // Not for a private cache, or not made use of.
    (["Cache-Control: s-maxage=500, max-age=60"], 60), (["Cache-Control: s-maxage=500"], 0),
    (["Cache-Control: max-age=60, stale-while-revalidate=600, stale-if-error=600"], 60),
    (["Cache-Control: immutable"], 0),
    // 1.2.2: seconds are digits; what is no number is as if it had expired; what is too large is very long.
    (["Cache-Control: max-age=1.5"], 0), (["Cache-Control: max-age=-1"], 0), (["Cache-Control: max-age"], 0),
    (["Cache-Control: max-age=99999999999999999999"], 2_147_483_648),
    (["Cache-Control: max-age=2147483649"], 2_147_483_648),
    // 4.2.2: a tenth of the time since the last change, a day at most.
    (["Last-Modified: @-1000", "Date: @0"], 100), (["Last-Modified: @-1000"], 100),
    (["Last-Modified: @-1000", "Date: @-500"], 50), (["Last-Modified: @-863990", "Date: @0"], 86_399),
    (["Last-Modified: @-864010", "Date: @0"], 86_400), (["Last-Modified: @-99999999", "Date: @0"], 86_400),
    (["Last-Modified: @10", "Date: @0"], 0), (["Last-Modified: yesterday"], 0), ([], 0), (["ETag: \"a\""], 0),
  ]

  @Test(arguments: lifetimeRows)
  func lifetimes(lines: [String], seconds: Double) throws {
    var answer = try head()
    answer.headers = fields(lines)
    #expect(policy.lifetime(of: answer) == seconds)
  }

  @Test(arguments: [200, 203, 300, 301, 308])
  func aLifetimeIsGuessed(status: Int) throws {
    #expect(policy.lifetime(of: try head(status, "Last-Modified: @-1000")) == 100)
  }

  @Test(arguments: [204, 302, 307, 400, 403, 404, 405, 410, 414, 500, 501, 503])
  func noLifetimeIsGuessed(status: Int) throws {
    #expect(policy.lifetime(of: try head(status, "Last-Modified: @-1000")) == 0)
    #expect(policy.lifetime(of: try head(status, "Cache-Control: max-age=5", "Last-Modified: @-1000")) == 5)
  }

  /// 4.2.3: age = max(response_time − Date, Age + response_time − request_time) + now − response_time.
  static let ageRows: [([String], Double, Double, Double)] = [
    (["Date: @0"], 0.0, 0.0, 0.0), (["Date: @0"], 0, 30, 30), (["Date: @-20"], 0, 30, 50),
    (["Date: @0", "Age: 100"], 0, 30, 130), (["Date: @0", "Age: 100"], 5, 30, 135),
    (["Date: @-200", "Age: 100"], 5, 30, 230), (["Date: @0"], 5, 30, 35), (["Date: @60"], 0, 30, 30),
    ([], 0, 30, 30), (["Age: 100"], 0, 30, 130), (["Age: 100, 7"], 0, 30, 130), (["Age: old"], 0, 30, 30),
    (["Age: -5"], 0, 30, 30), (["Date: never"], 2, 30, 32),
    // Neither the clock of now nor that of the request may be before that of the answer.
    (["Date: @0"], 0, -10, 0), (["Date: @0"], -50, 30, 30),
  ]

  @Test(arguments: ageRows)
  func ages(lines: [String], delay: Double, later: Double, seconds: Double) throws {
    var answer = try head(requested: received - delay)
    answer.headers = fields(lines)
    #expect(policy.age(of: answer, now: received + later) == seconds)
  }

  @Test func freshIsYoungerThanTheLifetime() throws {
    let answer = try head(200, "Cache-Control: max-age=60", "Age: 10")
    #expect(policy.freshUntil(answer) == received + 50)
    #expect(policy.isFresh(answer, now: received + 49.9))
    #expect(!policy.isFresh(answer, now: received + 50))
  }

  @Test func aClockThatHasGoneBackMakesNothingFresh() throws {
    let answer = try head(200, "Cache-Control: max-age=3600")
    #expect(policy.isFresh(answer, now: received - 59))
    #expect(!policy.isFresh(answer, now: received - 61))
    #expect(!policy.isFresh(answer, now: received - 1e9))
  }

  @Test func anAnswerIsFreshNoLongerThanTheRedirectsToIt() throws {
    let answer = try head(200, "Cache-Control: max-age=3600", redirectsFreshUntil: received + 10)
    #expect(policy.freshUntil(answer) == received + 10)
    #expect(policy.isFresh(answer, now: received + 9))
    #expect(!policy.isFresh(answer, now: received + 11))
    #expect(policy.freshUntil(try head(redirectsFreshUntil: received + 10)) == received)
  }
}
