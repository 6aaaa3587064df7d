import FetchPipeline
import PipelineTesting
import Testing

@testable import HTTPCache

/// Several programs with one folder. (Two caches in one program share nothing but the folder, as two programs do.)
struct SharedFolderTests {
  @Test func eachSeesWhatTheOtherStores() async throws {
    let lab = try DiskLab()
    let (one, two) = (lab.cache(), lab.cache())
    try await one.put("/a", bytes(1000, seed: 1))
    #expect(try await two.get("/a") == bytes(1000, seed: 1))
    let held = try #require(try await two.find("/a"))
    try await one.put("/a", bytes(1000, seed: 2))
    #expect(try await two.get("/a") == bytes(1000, seed: 2))
    // The other one has replaced it, and the file is still ours to read.
    #expect(try await held.body(chargedTo: nil) == bytes(1000, seed: 1))
    try await held.update(head(maxAge: 5))
    #expect(try await one.find("/a")?.head == head("/a"))
    try await two.remove(two.key(for: request("/a")))
    #expect(try await one.get("/a") == nil)
    await one.shutdown()
    #expect(try await two.get("/b") == nil)
    await two.shutdown()
  }

  /// Whatever the others do meanwhile, who finds an answer gets its body, whole and its own.
  @Test func nobodyEverReadsAnothersBody() async throws {
    let lab = try DiskLab()
    let caches = (0..<3).map { _ in lab.cache(capacity: 150_000) }
    let found = try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, cache) in caches.enumerated() {
        for _ in 0..<2 {
          group.addTask {
            var random = SystemRandomNumberGenerator()
            var found = 0
            for round in 0..<120 {
              let key = Int.random(in: 0..<30, using: &random)
              // A body says whose it is, and its head which body it is.
              let seed = UInt8.random(in: 0...255, using: &random)
              switch Int.random(in: 0..<10, using: &random) {
              case 0..<5:
                guard let snapshot = try await cache.find("/\(key)") else { break }
                await Task.yield()
                let body = try await snapshot.body(chargedTo: nil)
                let stored = UInt8(snapshot.head.headers["X-Seed"] ?? "") ?? 0
                #expect(body == bytes(1000 + key * 300 + Int(stored), seed: stored))
                found += 1
              case 9 where round % 20 == 0 && number == 0: _ = try await cache.prune()
              case 9 where round % 40 == 1 && number == 1: _ = try await cache.clear()
              case 8: try await cache.remove(cache.key(for: request("/\(key)")))
              default:
                try await cache.put(
                  "/\(key)", bytes(1000 + key * 300 + Int(seed), seed: seed), head: head(more: ["X-Seed": "\(seed)"]))
              }
            }
            return found
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(found > 20)
    for cache in caches { await cache.shutdown() }
    let last = lab.cache(capacity: 150_000)
    #expect(try await last.prune() == CacheRemoval())
    #expect(try await last.statistics().entries == lab.bodies.count)
    #expect(try await last.statistics().bytes <= 150_000)
    await last.shutdown()
    #expect(lab.warnings.isEmpty)
  }
}
