import FetchPipeline
import PipelineTesting
import SQLiteStore
import Testing

@testable import HTTPCache

/// The tier on disk in ordinary use.
struct DiskCacheTests {
  @Test func whatIsStoredIsThereForTheNextProgram() async throws {
    let lab = try DiskLab()
    var full = try head("/a", more: ["Set-Cookie": "a=b", "Vary": "Accept", "X-Empty": ""])
    full.variant = CachePolicyVariant.of("Accept")
    full.redirectsFreshUntil = 1234.5
    let first = lab.cache()
    try await first.put("/a", bytes(100_000), head: full)
    try await first.put("/empty", .empty)
    #expect(try await first.get("/a") == bytes(100_000))
    await first.shutdown()

    let second = lab.cache()
    let snapshot = try #require(try await second.find("/a"))
    #expect(snapshot.head == full)
    #expect(snapshot.byteCount == 100_000)
    #expect(try await snapshot.body(chargedTo: nil) == bytes(100_000))
    #expect(try await second.get("/empty") == .empty)
    #expect(try await second.get("/b") == nil)
    await second.shutdown()
    #expect(lab.warnings.isEmpty)
    #expect(lab.bodies.count == 2)
  }

  /// A power cut may leave a file of the right size with other bytes, or none, in it.
  @Test func aBodyThatIsNotWhatWasStoredCountsAsNothing() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    for path in ["/a", "/b"] { try await cache.put(path, bytes(100_000)) }
    let damaged = try #require(lab.bodies.first)
    try writeFile(lab.folder(damaged), [UInt8](repeating: 0, count: 100_000))
    let tiers = CacheTiers([cache]) { Issue.record("\($0)") }
    var found = 0
    for path in ["/a", "/b"] {
      let answer = try #require(await tiers.lookUp(request(path)))
      if try await tiers.body(of: answer) == bytes(100_000) { found += 1 }
    }
    #expect(found == 1)
    #expect(lab.bodies.count == 1 && !lab.bodies.contains(damaged))
    await cache.shutdown()
    #expect(lab.warnings.isEmpty)
  }

  @Test func nothingIsTouchedBeforeItIsUsed() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    _ = try cache.key(for: request("/a"))
    #expect(try await cache.statistics().entries == 0)
    #expect(try await cache.prune() == CacheRemoval())
    #expect(try await cache.clear() == CacheRemoval())
    await cache.shutdown()
    #expect(lab.folder.contents().isEmpty)
  }

  @Test func aNewAnswerTakesTheOldOnesPlace() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(10_000, seed: 1))
    let old = try #require(try await cache.find("/a"))
    try await cache.put("/a", bytes(20_000, seed: 2))
    #expect(try await cache.get("/a") == bytes(20_000, seed: 2))
    #expect(lab.bodies.count == 1)
    // What is held stays readable, though its file has no name any more.
    #expect(try await old.body(chargedTo: nil) == bytes(10_000, seed: 1))
    // And what a 304 says of it concerns nobody any more.
    try await old.update(head(maxAge: 5))
    #expect(try await cache.find("/a")?.head == head("/a"))
    try await cache.remove(cache.key(for: request("/a")))
    #expect(try await cache.get("/a") == nil)
    #expect(lab.bodies.isEmpty)
    await cache.shutdown()
  }

  @Test func aNewHeadLeavesTheBody() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(10_000))
    let before = lab.bodies
    try await cache.find("/a")?.update(head(maxAge: 500))
    #expect(try await cache.find("/a")?.head == head(maxAge: 500))
    #expect(try await cache.get("/a") == bytes(10_000))
    #expect(lab.bodies == before)
    await cache.shutdown()
  }

  @Test func whatIsNotCommittedIsNotThere() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/other", bytes(10))
    let editor = try #require(try cache.edit(cache.key(for: request("/a"))))
    try await editor.append(bytes(10_000))
    await editor.discard()
    // Cut short: fewer bytes than the head says.
    try await cache.put("/b", bytes(99), head: head(more: ["Content-Length": "100"]))
    #expect(try await cache.get("/a") == nil)
    #expect(try await cache.get("/b") == nil)
    #expect(lab.bodies.count == 1)
    #expect(lab.staged.isEmpty)
    await cache.shutdown()
  }

  @Test func aBodyIsChargedBeforeItIsRead() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(5000))
    let memory = NotedMemory()
    let body = try await cache.find("/a")?.body(chargedTo: memory)
    #expect(memory.log == ["grow 5000", "settle 5000"])
    weak let held = memory
    #expect(held != nil)
    withExtendedLifetime(body) {}
    await cache.shutdown()
  }

  @Test func theIndexIsSmallAndOnlyItsUserMayReadIt() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(10))
    #expect(permissions(lab.path) == 0o700)
    await cache.shutdown()
    // Nothing is left but the index, the lock and the body.
    let names = lab.folder.contents().filter { !$0.hasPrefix("cache/bodies/") }
    #expect(names == ["cache/", "cache/index.sqlite", "cache/lock"])
  }

  @Test(arguments: 0..<3) func headsSurviveAsTheyAre(seed: Int) throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var fields = HTTPFields()
      for _ in 0..<Int.random(in: 0..<12, using: &generator) {
        let value = String((0..<Int.random(in: 0..<40, using: &generator)).map { _ in "aé✓ \"".randomElement() ?? "a" })
        fields.append(HTTPFields.Field("X-\(seed)", value, isSensitive: Bool.random(using: &generator)))
      }
      let stored = StoredResponseHead(
        status: Int.random(in: 100...599), headers: fields,
        url: try ResourceURL(
          ["https://a.example:8443/x?y=%20", "http://[::1]/", "https://xn--mnchen-3ya.example/a%2fb?"][seed]),
        requestTime: Double.random(in: 0...2e9), responseTime: -0.0)
      let encoded = StoredHeadCoding.encode(stored)
      #expect(StoredHeadCoding.decode(encoded) == stored)
      // Whatever is cut off or added, it is no head, and nothing traps.
      #expect(
        StoredHeadCoding.decode(Array(encoded.dropLast(Int.random(in: 1...encoded.count, using: &generator)))) == nil)
      #expect(StoredHeadCoding.decode(encoded + [0]) == nil)
      var flipped = encoded
      flipped[Int.random(in: 0..<flipped.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      _ = StoredHeadCoding.decode(flipped)
    }
  }

  private final class NotedMemory: BodyMemory {
    private let entries = Lock<[String]>([])
    var log: [String] { entries.withLock { $0 } }
    func grow(to bytes: Int) async throws { entries.withLock { $0.append("grow \(bytes)") } }
    func settle(at bytes: Int) { entries.withLock { $0.append("settle \(bytes)") } }
  }
}

private enum CachePolicyVariant {
  static func of(_ text: String) -> Digest {
    var print = Fingerprint("vary")
    print.add("accept", text)
    return print.digest()
  }
}
