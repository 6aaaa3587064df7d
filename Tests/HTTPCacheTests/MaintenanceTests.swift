import FetchPipeline
import Glibc
import PipelineTesting
import SQLiteStore
import Testing

@testable import HTTPCache

/// Looking into a cache and tidying it up.
struct MaintenanceTests {
  @Test func statisticsCountWhatIsThere() async throws {
    let lab = try DiskLab()
    let cache = lab.cache(capacity: 500_000)
    try await cache.put("/a", bytes(5000))
    lab.advance(by: 10)
    try await cache.put("/b", bytes(1), head: head(maxAge: 5000))
    lab.advance(by: 100)
    let statistics = try await cache.statistics()
    #expect(statistics.place == lab.path)
    #expect(statistics.entries == 2)
    #expect(statistics.freshEntries == 1)
    #expect(statistics.bytes > 12_288 && statistics.bytes < 13_500)
    #expect(statistics.capacity == 500_000)
    #expect(statistics.oldestUse == 1000)
    #expect(statistics.newestUse == 1010)
    await cache.shutdown()
  }

  @Test func pruningRemovesWhatIsOfNoUse() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    for name in ["/a", "/b", "/c"] { try await cache.put(name, bytes(1000)) }
    unlink(lab.folder(lab.bodies[0]))
    let size = try await cache.statistics().bytes / 3
    try writeFile(lab.path + "/bodies/stray", "x")
    mkdir(lab.path + "/bodies/zz", 0o700)
    try writeFile(lab.path + "/bodies/zz/stray", "x")
    try writeFile(lab.path + "/index.sqlite.damaged-1", "x")
    // As a program leaves it that dies while it writes.
    mkdir(lab.path + "/.pipeline.tmp/1-dead", 0o700)
    try writeFile(lab.path + "/.pipeline.tmp/1-dead/lock", "")
    try writeFile(lab.path + "/.pipeline.tmp/1-dead/7", "x")
    #expect(try await cache.prune() == CacheRemoval(entries: 1, bytes: size, strayFiles: 3))
    #expect(try await cache.statistics().entries == 2)
    #expect(try await cache.statistics().bytes == size * 2)
    #expect(lab.bodies.count == 2)
    #expect(lab.staged.isEmpty)
    #expect(try await cache.prune() == CacheRemoval())
    await cache.shutdown()
  }

  @Test func pruningSetsTheTotalsRight() async throws {
    let lab = try DiskLab()
    let cache = lab.cache(capacity: 30_000)
    try await cache.put("/a", bytes(1000))
    try SQLiteConnection(path: lab.path + "/index.sqlite").execute("UPDATE totals SET size = -1000000")
    _ = try await cache.prune()
    for index in 0..<20 { try await cache.put("/\(index)", bytes(1000)) }
    #expect(try await cache.statistics().bytes <= 30_000)
    await cache.shutdown()
  }

  @Test func clearingRemovesEverything() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    for index in 0..<20 { try await cache.put("/\(index)", bytes(1000)) }
    let held = try #require(try await cache.find("/3"))
    try writeFile(lab.path + "/bodies/stray", "x")
    let size = try await cache.statistics().bytes
    #expect(try await cache.clear() == CacheRemoval(entries: 20, bytes: size, strayFiles: 1))
    #expect(lab.bodies.isEmpty)
    #expect(try await cache.statistics().bytes == 0)
    #expect(try await held.body(chargedTo: nil) == bytes(1000))
    try await cache.put("/a", bytes(1000))
    #expect(try await cache.get("/a") == bytes(1000))
    await cache.shutdown()
  }

  @Test func whatTheDeadHaveLeftGoesAtTheStart() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    try await first.put("/a", bytes(1000))
    await first.shutdown()
    mkdir(lab.path + "/.pipeline.tmp", 0o700)
    mkdir(lab.path + "/.pipeline.tmp/1-dead", 0o700)
    try writeFile(lab.path + "/.pipeline.tmp/1-dead/lock", "")
    try writeFile(lab.path + "/.pipeline.tmp/1-dead/7", "x")
    // Given its place, and then the program died before the index was committed.
    let shard = lab.bodies[0].dropLast(lab.bodies[0].count - "cache/bodies/xx".count)
    try writeFile(lab.folder("\(shard)/0123-1"), "x")
    let second = lab.cache()
    #expect(try await second.get("/a") == bytes(1000))
    #expect(lab.staged.isEmpty)
    #expect(lab.bodies.count == 1)
    await second.shutdown()
  }
}
