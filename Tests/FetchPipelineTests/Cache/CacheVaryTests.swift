import FetchPipeline
import Testing

/// RFC 9111, section 4.1: a stored answer is one to requests whose fields that Vary names are the same.
struct CacheVaryTests {
  private let policy = CachePolicy()

  private func stored(_ vary: [String], for request: HTTPRequest) throws -> StoredResponseHead {
    var answer = try head(200, "Cache-Control: max-age=60")
    for value in vary { answer.headers.append(HTTPFields.Field("Vary", value)) }
    guard case .store(let stored) = policy.storage(of: answer, to: request) else {
      throw PipelineError(.cache, .plugin, "not stored")
    }
    return stored
  }

  static let matchRows: [([String], [String], [String], Bool)] = [
    (["User-Agent"], ["User-Agent: a"], ["User-Agent: a"], true),
    (["User-Agent"], ["User-Agent: a"], ["User-Agent: b"], false), (["user-agent"], ["User-Agent: a"], [], false),
    (["User-Agent"], [], [], true), (["User-Agent"], [], ["User-Agent:"], false),
    (["Accept, User-Agent"], ["User-Agent: a"], ["User-Agent: a", "Accept: x"], false),
    (["Accept", "User-Agent"], ["User-Agent: a", "Accept: x"], ["Accept: x", "User-Agent: a"], true),
    (["Accept"], ["User-Agent: a"], ["User-Agent: b"], true),
    (["Accept"], ["Accept: x", "Accept: y"], ["Accept: x, y"], true),
    (["Accept"], ["Accept: x", "Accept: y"], ["Accept: y", "Accept: x"], false),
    (["Accept, Origin"], ["Accept: x"], ["Origin: x"], false), ([","], ["Accept: x"], ["Accept: y"], true),
    ([], ["User-Agent: a"], ["User-Agent: b"], true),
  ]

  @Test(arguments: matchRows)
  func matching(vary: [String], first: [String], second: [String], matches: Bool) throws {
    var original = try get()
    original.headers = fields(first)
    var next = try get()
    next.headers = fields(second)
    let stored = try stored(vary, for: original)
    #expect(
      policy.decision(for: next, stored: stored, now: received + 1) == (matches ? .serve(.hit) : .fetch([:])))
  }

  @Test func whatDoesNotMatchIsNotServedInAnyMode() throws {
    let stored = try stored(["User-Agent"], for: try get(.default, "User-Agent: a"))
    let other = try get(.forceCache, "User-Agent: b")
    #expect(policy.decision(for: other, stored: stored, now: received) == .fetch([:]))
    #expect(policy.decision(for: other, stored: stored, now: received, remaking: true) == .fetch([:]))
    let only = try get(.onlyIfCached, "User-Agent: b")
    #expect(policy.decision(for: only, stored: stored, now: received) == .notCached)
  }

  @Test func valuesThatMayBeSecretsAreNotKept() throws {
    let stored = try stored(["Authorization"], for: try get(.default, "Authorization: Basic c2VjcmV0"))
    #expect(!String(describing: stored).contains("c2VjcmV0"))
    #expect(stored.variant != nil)
  }

  @Test func aVaryThatA304BringsIsHeeded() throws {
    let request = try get(.default, "User-Agent: a")
    let stored = try stored([], for: request)
    guard case .store(let updated) = policy.update(stored, by: try head(304, "Vary: User-Agent"), to: request) else {
      Issue.record("not stored")
      return
    }
    let other = try get(.default, "User-Agent: b")
    #expect(policy.decision(for: request, stored: updated, now: received) == .serve(.hit))
    #expect(policy.decision(for: other, stored: updated, now: received) == .fetch([:]))
  }
}
