import FetchPipeline
import PipelineTesting
import Testing

@testable import HTTPCache

/// A cache on disk is never larger than it may be, and what goes is what was used longest ago.
struct DiskCapacityTests {
  @Test func theCapacityHoldsAfterEachCommit() async throws {
    let lab = try DiskLab()
    let cache = lab.cache(capacity: 100_000)
    for index in 0..<40 {
      try await cache.put("/\(index)", bytes(index % 3 * 9_000 + 1))
      let statistics = try await cache.statistics()
      #expect(statistics.bytes <= 100_000)
      #expect(lab.bodies.count == statistics.entries)
    }
    #expect(try await cache.statistics().bytes > 70_000)
    #expect(try await cache.get("/39") != nil)
    await cache.shutdown()
  }

  @Test func aLookUpIsAUse() async throws {
    let lab = try DiskLab()
    // Each takes 8 KiB and its head; three have room.
    let cache = lab.cache(capacity: 27_000)
    for name in ["/a", "/b", "/c"] {
      try await cache.put(name, bytes(8_000))
      lab.advance(by: 1)
    }
    #expect(try await cache.get("/a") != nil)
    lab.advance(by: 1)
    try await cache.put("/d", bytes(8_000))
    #expect(try await cache.get("/b") == nil)
    #expect(try await cache.get("/a") != nil)
    await cache.shutdown()
  }

  @Test func usesAreRememberedByTheNextProgram() async throws {
    let lab = try DiskLab()
    let first = lab.cache(capacity: 27_000)
    for name in ["/a", "/b", "/c"] {
      try await first.put(name, bytes(8_000))
      lab.advance(by: 1)
    }
    await first.shutdown()
    // Nothing is stored here: the use alone is recorded.
    let second = lab.cache(capacity: 27_000)
    #expect(try await second.get("/a") != nil)
    lab.advance(by: 1)
    await second.shutdown()
    let third = lab.cache(capacity: 27_000)
    try await third.put("/d", bytes(8_000))
    #expect(try await third.get("/a") != nil)
    #expect(try await third.get("/b") == nil)
    await third.shutdown()
  }

  @Test func whatIsLargerThanAllIsNotKeptAndTheOlderAnswerGoes() async throws {
    let lab = try DiskLab()
    let cache = lab.cache(capacity: 20_000)
    try await cache.put("/a", bytes(100))
    try await cache.put("/b", bytes(100))
    try await cache.put("/a", bytes(20_000))
    #expect(try await cache.get("/a") == nil)
    #expect(try await cache.get("/b") != nil)
    #expect(lab.bodies.count == 1)
    #expect(lab.staged.isEmpty)
    await cache.shutdown()
  }

  @Test func aSmallerCapacityHoldsAtOnceAfterPruning() async throws {
    let lab = try DiskLab()
    let large = lab.cache()
    for index in 0..<10 {
      try await large.put("/\(index)", bytes(8_000))
      lab.advance(by: 1)
    }
    await large.shutdown()
    let small = lab.cache(capacity: 27_000)
    let removal = try await small.prune()
    #expect(removal.entries == 7)
    #expect(removal.strayFiles == 0)
    #expect(try await small.statistics().entries == 3)
    #expect(lab.bodies.count == 3)
    #expect(try await small.get("/9") != nil)
    await small.shutdown()
  }
}
