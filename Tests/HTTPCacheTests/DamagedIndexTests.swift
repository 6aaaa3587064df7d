import FetchPipeline
import Glibc
import PipelineTesting
import SQLiteStore
import Testing

@testable import HTTPCache

/// An index that cannot be used is set aside with a warning, and the cache goes on empty.
struct DamagedIndexTests {
  @Test func garbageIsSetAsideAtTheStart() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    try await first.put("/a", bytes(1000))
    await first.shutdown()
    try writeFile(lab.path + "/index.sqlite", [UInt8](repeating: 0x41, count: 20_000))
    let cache = lab.cache()
    #expect(try await cache.get("/a") == nil)
    try await cache.put("/b", bytes(1000))
    #expect(try await cache.get("/b") == bytes(1000))
    #expect(lab.warnings.count == 1)
    #expect(lab.warnings.first?.contains("index.sqlite.damaged-1") == true, "\(lab.warnings)")
    // The bodies that nobody knows any more are gone.
    #expect(lab.bodies.count == 1)
    await cache.shutdown()
  }

  @Test func aNewerVersionIsSetAside() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    try await first.put("/a", bytes(1000))
    await first.shutdown()
    try SQLiteConnection(path: lab.path + "/index.sqlite").execute("PRAGMA user_version = 99")
    let cache = lab.cache()
    #expect(try await cache.get("/a") == nil)
    try await cache.put("/a", bytes(2000))
    #expect(try await cache.get("/a") == bytes(2000))
    #expect(lab.warnings.first?.contains("unsupported-1") == true, "\(lab.warnings)")
    await cache.shutdown()
  }

  @Test func damageThatShowsInUseIsMended() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    for index in 0..<200 { try await first.put("/\(index)", bytes(100)) }
    await first.shutdown()
    // All but the first page, which alone is read when it is opened.
    let whole = try #require(fileBytes(lab.path + "/index.sqlite"))
    try writeFile(lab.path + "/index.sqlite", whole.prefix(4096) + [UInt8](repeating: 0x5a, count: whole.count - 4096))
    let cache = lab.cache()
    let tiers = lab.tiers(cache)
    for index in 0..<20 { #expect(await tiers.lookUp(try request("/\(index)")) == nil) }
    await tiers.store(try head(), bytes(1000), for: try request("/new"))
    #expect(await tiers.lookUp(try request("/new")) != nil)
    #expect(lab.warnings.count == 1, "\(lab.warnings)")
    #expect(lab.bodies.count == 1)
    await tiers.shutdown()
  }

  @Test func nothingIsReplacedThatAnotherProgramHasOpen() async throws {
    let lab = try DiskLab()
    let other = lab.cache()
    try await other.put("/a", bytes(1000))
    try SQLiteConnection(path: lab.path + "/index.sqlite").execute("PRAGMA user_version = 99")
    let tiers = lab.tiers(lab.cache())
    #expect(await tiers.lookUp(try request("/a")) == nil)
    #expect(lab.warnings.count == 1)
    #expect(try await other.get("/a") == bytes(1000))
    #expect(!lab.folder.contents().contains { $0.contains("unsupported") })
    await other.shutdown()
    await tiers.shutdown()
  }

  @Test func everyFlippedByteIsSurvived() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    for index in 0..<40 { try await first.put("/\(index)", bytes(100)) }
    await first.shutdown()
    let index = lab.path + "/index.sqlite"
    let whole = try #require(fileBytes(index))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<60 {
      var broken = whole
      for _ in 0..<8 {
        let at = Int.random(in: 0..<broken.count, using: &random)
        broken[at] ^= UInt8.random(in: 1...255, using: &random)
      }
      for suffix in ["-wal", "-shm"] { unlink(index + suffix) }
      try writeFile(index, broken)
      let tiers = lab.tiers(lab.cache())
      for number in 0..<40 {
        guard let found = await tiers.lookUp(try request("/\(number)")) else { continue }
        if let body = try await tiers.body(of: found) { #expect(body == bytes(100)) }
      }
      // Whatever it was, it did not last.
      var isKept = false
      for _ in 0..<4 where !isKept {
        await tiers.store(try head(), bytes(1000), for: try request("/new"))
        isKept = await tiers.lookUp(try request("/new")) != nil
      }
      #expect(isKept, "\(lab.warnings.suffix(3))")
      await tiers.shutdown()
    }
  }
}
