import FetchPipeline
import PipelineTesting
import Testing

@testable import HTTPCache

/// Signed URLs, of which each has its own query, share an answer where the configuration says so.
struct QueryRuleTests {
  @Test func parametersThatDoNotCountDoNotCount() throws {
    let rule = QueryRule.dropping(["sig", "Expires"])
    let plain = try ResourceKey(request("/a?w=1"))
    #expect(rule.key(for: try request("/a?sig=abc&w=1&Expires=9")) == plain)
    #expect(rule.key(for: try request("/a?w=1&s%69g=abc")) == plain)
    #expect(rule.key(for: try request("/a?w=2&sig=abc")) != plain)
    // Names are as they are written.
    #expect(rule.key(for: try request("/a?w=1&SIG=abc")) != plain)
    #expect(try rule.key(for: request("/a?sig=abc")) == ResourceKey(request("/a")))
  }

  @Test func onlyNamedParametersCount() throws {
    let rule = QueryRule.keeping(["w"])
    #expect(try rule.key(for: request("/a?x=1&w=1&y")) == ResourceKey(request("/a?w=1")))
    var all = QueryRule()
    all.dropQuery = .all
    #expect(try all.key(for: request("/a?x=1&w=1")) == ResourceKey(request("/a")))
    all.keepQuery = ["w"]
    #expect(try all.key(for: request("/a?x=1&w=1")) == ResourceKey(request("/a?w=1")))
    #expect(try QueryRule().key(for: request("/a?x=1&w=1")) == ResourceKey(request("/a?x=1&w=1")))
  }

  @Test func anotherSignatureFindsTheAnswer() async throws {
    let lab = try DiskLab()
    let cache = lab.cache(rule: .dropping(["sig"]))
    try await cache.put("/a?sig=one", bytes(10))
    #expect(try await cache.get("/a?sig=two") == bytes(10))
    await cache.shutdown()
  }
}
