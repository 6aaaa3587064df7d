import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct StagingTests {
  @Test func whatDeadRunsHaveLeftIsRemovedWhateverTheTemplate() async throws {
    let folder = try TemporaryFolder()
    try makeFolders(folder(".pipeline.tmp/4711-abc"))
    try writeFile(folder(".pipeline.tmp/4711-abc/lock"), "")
    try writeFile(folder(".pipeline.tmp/4711-abc/1f"), "half a pict")
    try makeFolders(folder(".pipeline.tmp/4712-def"))
    try writeFile(folder("kept.jpg"), "a picture")
    let fixture = try await OutputFixture("{id}/{name}", in: folder)
    #expect(fixture.staged == [])
    #expect(fixture.contents == ["kept.jpg"])
    await fixture.output.shutdown()
    #expect(folder.contents() == ["kept.jpg"])
  }

  @Test func whatALivingRunIsWritingIsNotTouched() async throws {
    let folder = try TemporaryFolder()
    let first = try await OutputFixture(in: folder)
    let area = try #require(folder.contents().first { $0.hasSuffix("/lock") }).dropLast("lock".count)
    try writeFile(folder(area + "77"), "being written")
    let second = try await OutputFixture(in: folder)
    #expect(fileText(folder(area + "77")) == "being written")
    _ = try await second.output.write([encoded("x")], for: item(key(1)))
    await second.output.shutdown()
    #expect(fileText(folder(area + "77")) == "being written")
    _ = try await first.output.write([encoded("y")], for: item(key(2), "http://example.org/b.jpg"))
    await first.output.shutdown()
    #expect(folder.contents() == ["a.jpg", "b.jpg"])
  }

  @Test func manyRunsMayPrepareAndEndAtOnce() async throws {
    let folder = try TemporaryFolder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for run in 0..<8 {
        group.addTask {
          for round in 0..<20 {
            let fixture = try await OutputFixture("{id}.{ext}", in: folder)
            _ = try await fixture.output.write([encoded("x")], for: item(key(1), id: "\(run)-\(round)"))
            await fixture.output.shutdown()
          }
        }
      }
      try await group.waitForAll()
    }
    let next = try await OutputFixture(in: folder)
    await next.output.shutdown()
    #expect(folder.contents().count == 160)
  }

  /// A sub-folder that is a link to another file system: a real EXDEV, where the machine has one.
  @Test(.enabled(if: TwoFileSystems.areThere)) func aSubfolderOnAnotherFileSystemIsServed() async throws {
    for durability in Durability.allCases {
      let folder = try TemporaryFolder()
      let elsewhere = try TemporaryFolder(in: TwoFileSystems.other)
      #expect(symlink(elsewhere.path, folder("-far")) == 0)
      let fixture = try await OutputFixture("{rendition}/{name}.{ext}", durability: durability, in: folder)
      for text in ["first", "second"] {
        _ = try await fixture.output.write(
          [encoded(text, rendition: "far"), encoded(text, rendition: "near")], for: item(key(1)))
        #expect(fileText(elsewhere("a.jpg")) == text)
        #expect(fileText(folder("-near/a.jpg")) == text)
      }
      #expect(elsewhere.contents { $0.hasPrefix(".pipeline.tmp/") } == ["a.jpg"])
      await fixture.output.shutdown()
      #expect(elsewhere.contents() == ["a.jpg"])
      #expect(folder.contents() == ["-far", "-near/", "-near/a.jpg"])
    }
  }

  @Test func withoutAnotherFileSystemTheSameHolds() async throws {
    let folder = try TemporaryFolder()
    // The first link into each sub-folder fails as it would across file systems.
    let calls = ScriptedFileCalls { called, path, count in
      called == .link && path == "x/a.jpg" && count == 0 ? EXDEV : nil
    }
    let fixture = try await OutputFixture("x/{name}.{ext}", calls: calls, in: folder)
    _ = try await fixture.output.write([encoded("one")], for: item(key(1)))
    #expect(fileText(folder("x/a.jpg")) == "one")
    #expect(fileText(folder(".pipeline.tmp/elsewhere")) == "x\n")
    #expect(folder.contents().contains("x/.pipeline.tmp/"))
    await fixture.output.shutdown()
    #expect(folder.contents() == ["x/", "x/a.jpg"])
  }

  @Test func whatADeadRunHasLeftElsewhereIsRemovedToo() async throws {
    let folder = try TemporaryFolder()
    try makeFolders(folder("x/y/.pipeline.tmp/4711-abc"))
    try writeFile(folder("x/y/.pipeline.tmp/4711-abc/1"), "half a pict")
    try makeFolders(folder(".pipeline.tmp"))
    try writeFile(folder(".pipeline.tmp/elsewhere"), "x/y\nno/such/folder\n../out\n/etc\n")
    let fixture = try await OutputFixture(in: folder)
    #expect(!folder.contents().contains { $0.hasPrefix("x/y/.pipeline.tmp") })
    await fixture.output.shutdown()
    #expect(folder.contents() == ["x/", "x/y/"])
  }
}

/// Two folders between which no file can be renamed.
enum TwoFileSystems {
  static let other = "/dev/shm"

  static var areThere: Bool {
    var here = stat()
    var there = stat()
    return stat(TemporaryFolder.defaultParent, &here) == 0 && stat(other, &there) == 0
      && access(other, W_OK) == 0 && here.st_dev != there.st_dev
  }
}
