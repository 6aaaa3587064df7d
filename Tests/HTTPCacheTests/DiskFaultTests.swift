import FetchPipeline
import Glibc
import PipelineTesting
import SQLiteStore
import Testing

@testable import HTTPCache

/// A disk that fails costs the cache, never the run.
struct DiskFaultTests {
  /// Public report: a full disk crashed the program.
  @Test func aFullDiskMeansNoCacheAndOneWarning() async throws {
    let lab = try DiskLab()
    let calls = ScriptedFileCalls { operation, _, _ in operation == .write ? ENOSPC : nil }
    let tiers = lab.tiers(lab.cache(calls: calls))
    for index in 0..<40 { await tiers.store(try head(), bytes(1000), for: try request("/\(index)")) }
    #expect(await tiers.lookUp(try request("/1")) == nil)
    #expect(lab.warnings.count == 1)
    #expect(lab.warnings.first?.contains("No space left on device") == true, "\(lab.warnings)")
    #expect(lab.bodies.isEmpty)
    #expect(lab.staged.isEmpty)
    // A disk that goes on failing is left alone.
    #expect(calls.log.count { $0 == "write" } <= 16)
    await tiers.shutdown()
  }

  @Test func aFullIndexLosesNothingThatIsThere() async throws {
    let lab = try DiskLab()
    let first = lab.cache()
    try await first.put("/first", bytes(1000))
    await first.shutdown()
    let cache = lab.cache(maximumPages: 12)
    let tiers = lab.tiers(cache)
    let long = try head(more: ["X-Long": String(repeating: "x", count: 2000)])
    for index in 0..<60 { await tiers.store(long, bytes(1000), for: try request("/\(index)")) }
    #expect(lab.warnings.count == 1, "\(lab.warnings)")
    await tiers.shutdown()
    let again = lab.cache()
    #expect(try await again.get("/first") == bytes(1000))
    // What had its body in place when the index refused it has left none.
    #expect(try await again.statistics().entries == lab.bodies.count)
    await again.shutdown()
  }

  @Test(arguments: [ScriptedFileCalls.Operation.open, .rename]) func oneStoreThatFailsLeavesTheOthers(
    operation: ScriptedFileCalls.Operation
  ) async throws {
    let lab = try DiskLab()
    let calls = ScriptedFileCalls()
    let tiers = lab.tiers(lab.cache(calls: calls))
    await tiers.store(try head(), bytes(1000), for: try request("/a"))
    calls.fail { failing, _, count in failing == operation && count == 0 ? EIO : nil }
    await tiers.store(try head(), bytes(1000), for: try request("/b"))
    await tiers.store(try head(), bytes(1000), for: try request("/c"))
    #expect(await tiers.lookUp(try request("/a")) != nil)
    #expect(await tiers.lookUp(try request("/b")) == nil)
    #expect(await tiers.lookUp(try request("/c")) != nil)
    #expect(lab.bodies.count == 2)
    #expect(lab.staged.isEmpty)
    #expect(lab.warnings.count == 1)
    await tiers.shutdown()
  }

  @Test(arguments: ["missing", "short", "long", "folder"]) func aBodyThatIsNotRightIsAMissAndGoes(
    fault: String
  ) async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(1000))
    try await cache.put("/b", bytes(1000))
    let first = BodyFiles.path(key: try cache.key(for: request("/a")).digest.bytes, id: 0).prefix(20)
    let body = try #require(lab.bodies.first { $0.hasPrefix("cache/bodies/" + first) })
    unlink(lab.folder(body))
    switch fault {
    case "short": try writeFile(lab.folder(body), "short")
    case "long": try writeFile(lab.folder(body), bytes(1001).array())
    case "folder": mkdir(lab.folder(body), 0o700)
    default: break
    }
    #expect(try await cache.get("/a") == nil)
    #expect(try await cache.get("/b") == bytes(1000))
    #expect(try await cache.statistics().entries == 1)
    try await cache.put("/a", bytes(500, seed: 9))
    #expect(try await cache.get("/a") == bytes(500, seed: 9))
    await cache.shutdown()
    #expect(lab.warnings.isEmpty)
  }

  @Test func aBodyThatCannotBeReadIsRemoved() async throws {
    let lab = try DiskLab()
    let calls = ScriptedFileCalls()
    let tiers = lab.tiers(lab.cache(calls: calls))
    await tiers.store(try head(), bytes(1000), for: try request("/a"))
    calls.fail { operation, _, _ in operation == .read ? EIO : nil }
    let found = try #require(await tiers.lookUp(try request("/a")))
    #expect(try await tiers.body(of: found) == nil)
    #expect(await tiers.lookUp(try request("/a")) == nil)
    #expect(lab.bodies.isEmpty)
    await tiers.shutdown()
  }

  @Test func aHeadThatIsNoneIsAMissAndGoes() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(1000))
    let other = try SQLiteConnection(path: lab.path + "/index.sqlite")
    try other.execute("UPDATE entries SET head = x'ff00'")
    #expect(try await cache.get("/a") == nil)
    #expect(try await cache.statistics().entries == 0)
    #expect(lab.bodies.isEmpty)
    await cache.shutdown()
  }

  /// Public report: a folder that was deleted underneath stopped the cache until the next start.
  @Test func aFolderThatIsDeletedIsMadeAgain() async throws {
    let lab = try DiskLab()
    let cache = lab.cache()
    try await cache.put("/a", bytes(1000))
    TemporaryFolder.remove(lab.path)
    #expect(try await cache.get("/a") == nil)
    try await cache.put("/b", bytes(1000))
    #expect(try await cache.get("/b") == bytes(1000))
    TemporaryFolder.remove(lab.path)
    try await cache.put("/c", bytes(1000))
    #expect(try await cache.get("/c") == bytes(1000))
    // Only the index is gone: nobody would ever find the bodies again.
    for suffix in ["", "-wal", "-shm"] { unlink(lab.path + "/index.sqlite" + suffix) }
    try await cache.put("/d", bytes(1000))
    #expect(try await cache.get("/c") == nil)
    #expect(try await cache.get("/d") == bytes(1000))
    #expect(lab.bodies.count == 1)
    // Only the bodies are gone.
    TemporaryFolder.remove(lab.path + "/bodies")
    #expect(try await cache.get("/d") == nil)
    try await cache.put("/e", bytes(1000))
    #expect(try await cache.get("/e") == bytes(1000))
    await cache.shutdown()
    #expect(lab.warnings.isEmpty)
    let next = lab.cache()
    #expect(try await next.get("/e") == bytes(1000))
    await next.shutdown()
  }

  @Test func aFolderThatCannotBeMadeMeansNoCacheAndOneWarning() async throws {
    let lab = try DiskLab()
    try writeFile(lab.path, "in the way")
    let tiers = lab.tiers(lab.cache())
    for index in 0..<5 {
      await tiers.store(try head(), bytes(10), for: try request("/\(index)"))
      #expect(await tiers.lookUp(try request("/\(index)")) == nil)
    }
    #expect(lab.warnings.count == 1)
    await tiers.shutdown()
  }
}
