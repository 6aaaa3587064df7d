import FetchPipeline
import PipelineTesting
import Testing

@testable import HTTPCache

/// The tier in memory.
struct MemoryCacheTests {
  @Test func whatIsStoredIsThereAndTheSameMemory() async throws {
    let cache = MemoryCache()
    let body = bytes(1000)
    try await cache.put("/a", body)
    let stored = try #require(try await cache.get("/a"))
    #expect(stored == body)
    #expect(stored.withUnsafeBytes { $0.baseAddress } == body.withUnsafeBytes { $0.baseAddress })
    #expect(try await cache.find("/a")?.head == head("/a"))
    #expect(try await cache.get("/b") == nil)
  }

  @Test func whatWasUsedLongestAgoGoesFirst() async throws {
    let cache = MemoryCache(capacity: 35_000)
    for name in ["/a", "/b", "/c"] { try await cache.put(name, bytes(10_000)) }
    #expect(try await cache.get("/a") != nil)
    try await cache.put("/d", bytes(10_000))
    #expect(try await cache.get("/b") == nil)
    for name in ["/a", "/c", "/d"] { #expect(try await cache.get(name) != nil, "\(name)") }
    #expect(cache.statistics().entries == 3)
    #expect(cache.statistics().bytes <= 35_000)
    #expect(cache.statistics().bytes > 30_000)
  }

  @Test func whatIsLargerThanAllIsNotKeptAndTheOlderAnswerGoes() async throws {
    let cache = MemoryCache(capacity: 10_000)
    try await cache.put("/a", bytes(100))
    try await cache.put("/b", bytes(100))
    try await cache.put("/a", bytes(10_001))
    #expect(try await cache.get("/a") == nil)
    #expect(try await cache.get("/b") != nil)
  }

  @Test func aSnapshotOutlivesItsEntry() async throws {
    let cache = MemoryCache()
    try await cache.put("/a", bytes(1000, seed: 1))
    let snapshot = try #require(try await cache.find("/a"))
    try await cache.put("/a", bytes(1000, seed: 2))
    // What a 304 said about the old answer says nothing about the new one.
    try await snapshot.update(head(maxAge: 5))
    #expect(try await cache.find("/a")?.head == head("/a"))
    #expect(cache.clear().entries == 1)
    #expect(try await snapshot.body(chargedTo: nil) == bytes(1000, seed: 1))
    #expect(try await cache.get("/a") == nil)
  }

  @Test func aNewHeadTakesTheOldOnesPlace() async throws {
    let cache = MemoryCache()
    try await cache.put("/a", bytes(10))
    try await cache.find("/a")?.update(head(maxAge: 5))
    #expect(try await cache.find("/a")?.head == head(maxAge: 5))
    #expect(try await cache.get("/a") == bytes(10))
  }

  @Test func aBodyOfAnotherLengthThanAnnouncedIsNotKept() async throws {
    let cache = MemoryCache()
    try await cache.put("/a", bytes(99), head: head(more: ["Content-Length": "100"]))
    #expect(try await cache.get("/a") == nil)
    try await cache.put("/a", bytes(100), head: head(more: ["Content-Length": "100"]))
    #expect(try await cache.get("/a") != nil)
  }

  @Test func theRunsBudgetIsRelievedOfWhatIsKept() async throws {
    let cache = MemoryCache(capacity: 10_000)
    var account: Account? = Account()
    weak let charged = account
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    memory.storeBytes(of: 7, as: UInt8.self)
    let body = SharedBytes(adopting: memory, count: 1, keeping: account) {
      UnsafeMutableRawPointer(mutating: $0).deallocate()
    }
    account = nil
    #expect(charged != nil)
    try await cache.put("/a", body)
    #expect(charged == nil)
    withExtendedLifetime(body) {}
  }

  /// Against the simplest list there is.
  @Test func theListOfUsesIsRightHoweverItIsUsed() {
    var list = LeastRecentlyUsed<Int, Int>(capacity: 100)
    var model: [(key: Int, value: Int, cost: Int)] = []
    var random = SystemRandomNumberGenerator()
    for step in 0..<5000 {
      let key = Int.random(in: 0..<30, using: &random)
      let index = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        #expect(list.use(key) == index.map { model[$0].value })
        if let index { model.append(model.remove(at: index)) }
      case 1:
        list.remove(key)
        if let index { model.remove(at: index) }
      default:
        let cost = Int.random(in: 0...110, using: &random)
        list.set(key, step, cost: cost)
        if let index { model.remove(at: index) }
        guard cost <= 100 else { break }
        while model.reduce(0, { $0 + $1.cost }) + cost > 100 { model.removeFirst() }
        model.append((key, step, cost))
      }
      #expect(list.values == model.map(\.value))
      #expect(list.cost == model.reduce(0) { $0 + $1.cost })
    }
  }

  private final class Account: Sendable {}
}
