import FetchPipeline
import Testing

/// RFC 9111, section 3: what is stored.
struct CacheStorageTests {
  private let policy = CachePolicy()

  enum Outcome: Sendable {
    case store, remove, leave
  }

  private func outcome(_ storage: CacheStorage) -> Outcome {
    switch storage {
    case .store: .store
    case .remove: .remove
    case .leave: .leave
    }
  }

  static let answerRows: [(Int, [String], Outcome)] = [
    (200, [], Outcome.store), (203, [], .store), (300, [], .store), (301, [], .store), (308, [], .store),
    (200, ["Cache-Control: max-age=0"], .store), (200, ["Cache-Control: no-cache"], .store),
    (200, ["Cache-Control: private"], .store), (200, ["Set-Cookie: a=b"], .store), (200, ["Expires: 0"], .store),
    (200, ["Pragma: no-cache"], .store), (200, ["Vary: Accept, User-Agent"], .store),
    (200, ["Cache-Control: no-store"], .remove), (200, ["cache-control: max-age=60, No-Store"], .remove),
    (200, ["Cache-Control: no-store, must-understand"], .store), (200, ["Vary: *"], .remove),
    (200, ["Vary: Accept, *"], .remove), (999, ["Cache-Control: no-store, must-understand, max-age=5"], .remove),
    // Parts, and what is no answer by itself.
    (206, ["Cache-Control: max-age=60"], .leave), (304, ["Cache-Control: max-age=60"], .leave),
    (100, ["Cache-Control: max-age=60"], .leave), (199, [], .leave),
    // Negative answers: as long as the origin says, and not at all where it does not.
    (404, [], .remove), (404, ["Last-Modified: @-1000"], .remove), (404, ["Cache-Control: public"], .remove),
    (404, ["Cache-Control: max-age=60"], .store), (404, ["Expires: @60", "Date: @0"], .store),
    (404, ["Cache-Control: max-age=0", "ETag: \"x\""], .remove), (404, ["Expires: @-60", "Date: @0"], .remove),
    (404, ["Cache-Control: max-age=60, no-store"], .remove), (410, [], .remove),
    (410, ["Cache-Control: max-age=60"], .store), (403, ["Cache-Control: max-age=60"], .store),
    (403, [], .remove), (204, [], .remove), (302, [], .remove), (302, ["Cache-Control: max-age=60"], .store),
    (405, [], .remove), (414, [], .remove),
    // Passing failures: neither stored nor a reason to forget.
    (408, ["Cache-Control: max-age=60"], .leave), (425, ["Cache-Control: max-age=60"], .leave),
    (429, ["Cache-Control: max-age=60"], .leave), (500, ["Cache-Control: max-age=60"], .leave), (500, [], .leave),
    (501, ["Cache-Control: max-age=60"], .leave), (503, ["Cache-Control: max-age=60"], .leave),
    (599, ["Expires: @60"], .leave),
  ]

  @Test(arguments: answerRows)
  func answers(status: Int, lines: [String], expected: Outcome) throws {
    var answer = try head(status)
    answer.headers = fields(lines)
    #expect(outcome(policy.storage(of: answer, to: try get())) == expected)
  }

  @Test(arguments: [
    (CacheMode.default, Outcome.store), (.noStore, .leave), (.reload, .store), (.noCache, .store),
    (.forceCache, .store), (.onlyIfCached, .store),
  ])
  func modes(mode: CacheMode, expected: Outcome) throws {
    #expect(outcome(policy.storage(of: try head(), to: try get(mode))) == expected)
    #expect(outcome(policy.storage(of: try head(404), to: try get(mode))) == (expected == .leave ? .leave : .remove))
  }

  @Test(arguments: [
    ("Cache-Control: no-store", Outcome.leave), ("Cache-Control: no-cache", .store), ("Range: bytes=0-", .leave),
    ("If-None-Match: \"a\"", .leave), ("Authorization: Basic YTpi", .store), ("Cookie: a=b", .store),
  ])
  func fieldsOfTheRequest(line: String, expected: Outcome) throws {
    #expect(outcome(policy.storage(of: try head(), to: try get(.default, line))) == expected)
  }

  @Test(arguments: [HTTPMethod.head, .post(.empty), .put(.empty), .patch(.empty), .delete])
  func onlyAnswersToAGetAreStored(method: HTTPMethod) throws {
    var request = try get()
    request.method = method
    #expect(policy.storage(of: try head(200, "Cache-Control: max-age=60"), to: request) == .leave)
  }

  /// RFC 9111, section 3.1.
  @Test func fieldsOfTheConnectionAreNotStored() throws {
    let answer = try head(
      200, "ETag: \"a\"", "Connection: close, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "TE: x", "Upgrade: h2c",
      "Transfer-Encoding: chunked", "Proxy-Authenticate: Basic", "Trailer: x", "Set-Cookie: a=b", "X-End: 2")
    let expected = try head(200, "ETag: \"a\"", "Set-Cookie: a=b", "X-End: 2")
    #expect(policy.storage(of: answer, to: try get()) == .store(expected))
  }

  struct Redirect: Sendable {
    var status: Int
    var lines: [String]
    /// Until when it is followed from memory, in seconds after `received`; nil where nothing may be stored.
    var freshFor: Double?
  }

  @Test(arguments: [
    Redirect(status: 301, lines: [], freshFor: 86_400), Redirect(status: 308, lines: [], freshFor: 86_400),
    Redirect(status: 302, lines: [], freshFor: 0), Redirect(status: 307, lines: [], freshFor: 0),
    Redirect(status: 303, lines: [], freshFor: 0), Redirect(status: 302, lines: ["Last-Modified: @-1000"], freshFor: 0),
    Redirect(status: 302, lines: ["Cache-Control: max-age=60"], freshFor: 60),
    Redirect(status: 302, lines: ["Cache-Control: max-age=60", "Age: 20"], freshFor: 40),
    Redirect(status: 301, lines: ["Cache-Control: max-age=60"], freshFor: 60),
    Redirect(status: 301, lines: ["Cache-Control: max-age=60, no-cache"], freshFor: 0),
    Redirect(status: 302, lines: ["Cache-Control: no-store"]), Redirect(status: 301, lines: ["Vary: *"]),
  ])
  func redirects(redirect: Redirect) throws {
    var hop = try head(redirect.status)
    hop.headers = fields(redirect.lines)
    let permanent = try head(301, "Cache-Control: max-age=99999")
    let storage = policy.storage(
      of: try head(200, "Cache-Control: max-age=99999"), to: try get(), redirects: [permanent, hop])
    guard let freshFor = redirect.freshFor else {
      #expect(storage == .remove)
      return
    }
    guard case .store(let stored) = storage else {
      Issue.record("not stored")
      return
    }
    #expect(stored.redirectsFreshUntil == received + freshFor)
    #expect(policy.freshUntil(stored) == received + freshFor)
  }

  /// RFC 9111, section 4.4.
  @Test func whatSucceedsWithAnUnsafeMethodOutdatesTheGet() throws {
    var request = try get(.default, "Accept: x", "Content-Type: text/plain")
    for method in [HTTPMethod.post(.empty), .put(.empty), .patch(.empty), .delete] {
      request.method = method
      for status in [200, 201, 204, 303, 399] {
        let outdated = try #require(policy.invalidated(by: request, status: status))
        #expect(ResourceKey(outdated) == ResourceKey(try get(.default, "Accept: x")))
      }
      for status in [400, 404, 500] { #expect(policy.invalidated(by: request, status: status) == nil) }
    }
    for method in [HTTPMethod.get, .head] {
      request.method = method
      #expect(policy.invalidated(by: request, status: 200) == nil)
    }
  }
}
