import FetchPipeline
import Testing

/// RFC 9111, sections 3.2 and 4.3.4: what a 304 makes of a stored answer.
struct CacheUpdateTests {
  private let policy = CachePolicy()

  @Test func fieldsAreReplacedButForThoseOfTheBody() throws {
    let stored = try head(
      200, "Date: @0", "Age: 30", "Cache-Control: max-age=60", "ETag: \"v1\"", "Content-Type: image/jpeg",
      "Content-Length: 4000", "X-Old: kept", "X-Two: a", "X-Two: b")
    let answer = try head(
      304, "Date: @100", "Cache-Control: max-age=90", "ETag: \"v1\"", "Content-Type: text/html", "Content-Length: 0",
      "Content-Encoding: gzip", "Content-Range: bytes 0-1/2", "Connection: close, X-Gone", "X-Gone: 1", "x-two: c",
      "x-two: d", "X-New: 1", requested: received + 98, at: received + 101)
    let expected = try head(
      200, "Content-Type: image/jpeg", "Content-Length: 4000", "X-Old: kept", "Date: @100", "Cache-Control: max-age=90",
      "ETag: \"v1\"", "x-two: c", "x-two: d", "X-New: 1", requested: received + 98, at: received + 101)
    guard case .store(let updated) = policy.update(stored, by: answer, to: try get()) else {
      Issue.record("not stored")
      return
    }
    #expect(updated == expected)
    // Received at 101, asked for three seconds before: fresh until 90 − 3 seconds later.
    #expect(policy.freshUntil(updated) == received + 101 + 87)
  }

  @Test func theStatusStaysThatOfTheAnswer() throws {
    let stored = try head(200, "ETag: \"v1\"")
    #expect(policy.update(stored, by: try head(304), to: try get()) == .store(stored))
  }

  enum Outcome: Sendable {
    case store, once, mismatch
  }

  /// Which stored answers a 304 speaks of (section 4.3.3).
  static let validatorRows: [([String], [String], Outcome)] = [
    (["ETag: \"v1\""], ["ETag: \"v1\""], Outcome.store), (["ETag: \"v1\""], ["ETag: \"v2\""], .mismatch),
    (["ETag: W/\"v1\""], ["ETag: \"v1\""], .store), (["ETag: \"v1\""], ["ETag: W/\"v1\""], .store),
    (["ETag: W/\"v1\""], ["ETag: W/\"v2\""], .mismatch), (["ETag: \"v1\""], [], .store),
    (["Last-Modified: @-9"], [], .store), (["Last-Modified: @-9"], ["ETag: \"new\""], .store),
    (["Last-Modified: @-9"], ["Last-Modified: @-9"], .store), (["Last-Modified: @-9"], ["Last-Modified: @-99"], .store),
    (["Last-Modified: @-9"], ["Last-Modified: @-8"], .mismatch),
    (["Last-Modified: @-9"], ["Last-Modified: lately"], .mismatch),
    (["Last-Modified: lately"], ["Last-Modified: lately"], .store),
    (["ETag: \"v1\"", "Last-Modified: @-9"], ["ETag: \"v1\"", "Last-Modified: @-8"], .store),
    // Terms that forbid to keep it hold from now on.
    (["ETag: \"v1\""], ["Cache-Control: no-store"], .once), (["ETag: \"v1\""], ["Vary: *"], .once),
    (["ETag: \"v1\""], ["Cache-Control: no-cache"], .store),
  ]

  @Test(arguments: validatorRows)
  func validators(ours: [String], theirs: [String], expected: Outcome) throws {
    var stored = try head()
    stored.headers = fields(ours)
    var answer = try head(304)
    answer.headers = fields(theirs)
    let outcome: Outcome =
      switch policy.update(stored, by: answer, to: try get()) {
      case .store: .store
      case .useAndRemove: .once
      case .mismatch: .mismatch
      }
    #expect(outcome == expected)
  }

  @Test func aValidatorMeansSomethingForItsOwnURLOnly() throws {
    let request = try get()
    let redirected = try head(200, "ETag: \"v1\"", url: "http://h/there.jpg", redirectsFreshUntil: received)
    let hop = try head(302, "Cache-Control: max-age=30")
    let same = try head(304, url: "http://h/there.jpg")
    let elsewhere = try head(304, url: "http://h/elsewhere.jpg")
    var expected = redirected
    expected.redirectsFreshUntil = received + 30
    #expect(policy.update(redirected, by: same, to: request, redirects: [hop]) == .store(expected))
    #expect(policy.update(redirected, by: elsewhere, to: request, redirects: [hop]) == .mismatch)
    #expect(policy.update(redirected, by: try head(304), to: request) == .mismatch)

    let direct = try head(200, "ETag: \"v1\"")
    #expect(policy.update(direct, by: same, to: request, redirects: [hop]) == .mismatch)
    // A signed URL has another signature each time, and is the same resource by its key.
    let signed = try head(304, url: "http://h/a.jpg?signature=2")
    #expect(policy.update(direct, by: signed, to: request) == .store(direct))
  }

  @Test func aRedirectThatForbidsStoringCounts() throws {
    let stored = try head(200, "ETag: \"v1\"", redirectsFreshUntil: received)
    let hop = try head(302, "Cache-Control: no-store")
    var expected = stored
    expected.redirectsFreshUntil = received
    #expect(
      policy.update(stored, by: try head(304), to: try get(), redirects: [hop]) == .useAndRemove(expected))
  }

  /// A 304 in answer to a conditional request that a cache on the way answered: its Age counts.
  @Test func theAgeOfThe304Counts() throws {
    let stored = try head(200, "ETag: \"v1\"", "Cache-Control: max-age=60", "Age: 59")
    guard case .store(let updated) = policy.update(stored, by: try head(304, "Age: 20"), to: try get()) else {
      Issue.record("not stored")
      return
    }
    #expect(policy.freshUntil(updated) == received + 40)
  }
}
