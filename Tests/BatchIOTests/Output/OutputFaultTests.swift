import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct OutputFaultTests {
  static let three = [encoded("one", rendition: "1"), encoded("two", rendition: "2"), encoded("three", rendition: "3")]

  /// Operation, which call of it, error number, expected code.
  @Test(
    arguments: [ScriptedFileCalls.Operation.open, .write, .sync, .link],
    [(ENOSPC, PipelineError.Code.diskFull), (EDQUOT, .diskFull), (EROFS, .write), (EACCES, .write), (EIO, .write)])
  func whateverFailsNoPictureOfTheItemIsThere(
    operation: ScriptedFileCalls.Operation, fault: (number: Int32, code: PipelineError.Code)
  ) async throws {
    for durability in Durability.allCases where operation != .sync || durability != .none {
      for failing in 0...2 {
        let calls = ScriptedFileCalls()
        let claims = MemoryClaims()
        let fixture = try await OutputFixture(durability: durability, calls: calls, claims: claims)
        calls.fail { called, _, count in called == operation && count == failing ? fault.number : nil }
        let error = await #expect(throws: PipelineError.self) {
          try await fixture.output.write(Self.three, for: item(key(1)))
        }
        #expect(error?.stage == .output)
        #expect(error?.code == fault.code)
        #expect(error?.isTransient == (fault.code == .diskFull))
        #expect(error?.message.contains("\(fixture.folder.path)/a-") == true, "\(error?.message ?? "")")
        #expect(fixture.contents == [])
        #expect(fixture.staged == [])
        #expect(claims.taken == [])
        // The next attempt is as good as new.
        calls.fail { _, _, _ in nil }
        _ = try await fixture.output.write(Self.three, for: item(key(1)))
        #expect(fixture.contents == ["a-1.jpg", "a-2.jpg", "a-3.jpg"])
        await fixture.output.shutdown()
      }
    }
  }

  @Test func aFolderThatCannotBeSyncedTakesItsPicturesBack() async throws {
    let calls = ScriptedFileCalls()
    let fixture = try await OutputFixture(durability: .each, calls: calls)
    let folder = fixture.folder.path
    calls.fail { called, path, _ in called == .sync && path == folder ? EIO : nil }
    await #expect(throws: PipelineError.self) { try await fixture.output.write(Self.three, for: item(key(1))) }
    #expect(fixture.contents == [])
    await fixture.output.shutdown()
  }

  @Test func inABatchOnlyTheItemThatFailsFails() async throws {
    let calls = ScriptedFileCalls()
    let fixture = try await OutputFixture("{id}.{ext}", durability: .batch, calls: calls)
    calls.fail { called, path, _ in called == .link && path == "13.jpg" ? EIO : nil }
    let failed = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<40 {
        group.addTask {
          do {
            let item = try item(key(UInt8(number)), id: "\(number)")
            _ = try await fixture.output.write([encoded("x")], for: item)
            return nil
          } catch { return number }
        }
      }
      return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
    }
    #expect(failed == [13])
    #expect(fixture.contents.count == 39)
    await fixture.output.shutdown()
  }

  @Test func eachIsSyncedBeforeItHasItsNameAndItsFolderAfter() async throws {
    let calls = ScriptedFileCalls()
    let fixture = try await OutputFixture("x/{name}{rendition}.{ext}", durability: .each, calls: calls)
    calls.fail { _, _, _ in nil }
    _ = try await fixture.output.write(Array(Self.three.prefix(2)), for: item(key(1)))
    let log = calls.log.filter { $0 != "open" && $0 != "write" }
    #expect(
      log == ["sync file", "sync file", "link x/a-1.jpg", "link x/a-2.jpg", "sync folder", "sync folder"],
      "the folder of the files, and the one in which that was made")
    calls.fail { _, _, _ in nil }
    _ = try await fixture.output.write([encoded("x")], for: item(key(1)))
    #expect(calls.log.filter { $0 != "open" && $0 != "write" } == ["sync file", "link x/a.jpg", "sync folder"])
    await fixture.output.shutdown()
  }

  @Test func aBatchSyncsItsFolderOnceAndNoneNever() async throws {
    for durability in [Durability.batch, .none] {
      let calls = ScriptedFileCalls()
      let fixture = try await OutputFixture("{id}.{ext}", durability: durability, calls: calls)
      calls.fail { _, _, _ in nil }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let item = try item(key(UInt8(number)), id: "\(number)")
            _ = try await fixture.output.write([encoded("x")], for: item)
          }
        }
        try await group.waitForAll()
      }
      let log = calls.log
      #expect(log.count { $0 == "sync file" } == (durability == .batch ? 50 : 0))
      // They arrive within a few milliseconds; a slow machine may close a batch in between.
      #expect(log.count { $0 == "sync folder" } <= (durability == .batch ? 25 : 0))
      #expect(log.count { $0.hasPrefix("link ") } == 50)
      if durability == .batch { #expect(log.contains("sync folder")) }
      await fixture.output.shutdown()
    }
  }

  @Test(arguments: [
    (ScriptedFileCalls.Operation.open, EACCES, PipelineError.Code.write), (.open, EROFS, .write),
    (.open, EDQUOT, .diskFull), (.write, ENOSPC, .diskFull), (.rename, EACCES, .write),
  ])
  func prepareThrowsWhereNoFileCanBeWritten(
    operation: ScriptedFileCalls.Operation, number: Int32, code: PipelineError.Code
  ) async throws {
    let folder = try TemporaryFolder()
    let calls = ScriptedFileCalls { called, _, _ in called == operation ? number : nil }
    let output = DirectoryOutput(
      folder: folder("out"), template: .standard, durability: .batch, calls: calls)
    let error = await #expect(throws: PipelineError.self) { try await output.prepare(claims: MemoryClaims()) }
    #expect(error?.stage == .output)
    #expect(error?.code == code)
    #expect(error?.message.contains(folder("out")) == true)
  }

  @Test func prepareThrowsWhereTheFolderIsAFile() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("file"), "x")
    for path in ["file", "file/below"] {
      let error = await #expect(throws: PipelineError.self) {
        try await DirectoryOutput(folder: folder(path)).prepare(claims: MemoryClaims())
      }
      #expect(error?.code == .write)
      #expect(error?.message.contains("Not a directory") == true)
    }
  }

  @Test func prepareMakesAllFoldersAndLeavesNoProbe() async throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder: folder("a/b/c"))
    try await output.prepare(claims: MemoryClaims())
    await output.shutdown()
    #expect(folder.contents() == ["a/", "a/b/", "a/b/c/"])
  }
}
