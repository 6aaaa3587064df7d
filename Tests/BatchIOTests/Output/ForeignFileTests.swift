import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What stands in the output folder and is not known to be a run's own is left as it is.
@Suite struct ForeignFileTests {
  @Test func aFileThatNoRunIsKnownToHaveMadeStays() async throws {
    let fixture = try await OutputFixture()
    try writeFile(fixture.folder("a.jpg"), "somebody's picture")
    for _ in 0..<2 {
      let written = try await fixture.output.write([encoded("ours")], for: item(key(0x11)))
      #expect(written.images.map(\.path) == ["a-1111111111111111.jpg"])
      #expect(written.isRenamed)
    }
    #expect(fileText(fixture.folder("a.jpg")) == "somebody's picture")
    #expect(fixture.contents == ["a-1111111111111111.jpg", "a.jpg"])
    await fixture.output.shutdown()
  }

  @Test func afterALostLedgerNoFileIsThereTwice() async throws {
    for template in ["{name}.{ext}", "{name}-{hash:8}.{ext}"] {
      let first = try await OutputFixture(template)
      let made = try await first.output.write([encoded("the same bytes")], for: item(key(0x11)))
      await first.output.shutdown()
      let second = try await OutputFixture(template, in: first.folder)
      let again = try await second.output.write([encoded("the same bytes")], for: item(key(0x11)))
      #expect(again.images == made.images)
      #expect(!again.isRenamed)
      #expect(second.contents.count == 1)
      await second.output.shutdown()
    }
  }

  @Test func aNameWithTheKeyInItIsTheKeysWhateverIsInTheFile() async throws {
    for (template, isOurs) in [
      ("{name}-{hash}.{ext}", true), ("{hash:8}.{ext}", true), ("{name}{hash:2}.{ext}", false),
    ] {
      let first = try await OutputFixture(template)
      _ = try await first.output.write([encoded("under an old recipe")], for: item(key(0x11)))
      await first.output.shutdown()
      let second = try await OutputFixture(template, in: first.folder)
      let written = try await second.output.write([encoded("new")], for: item(key(0x11)))
      #expect(written.isRenamed == !isOurs)
      #expect(second.contents.count == (isOurs ? 1 : 2))
      await second.output.shutdown()
    }
  }

  @Test(arguments: ["folder", "pipe", "link", "dangling link"])
  func whateverStandsThereIsATakenName(kind: String) async throws {
    let fixture = try await OutputFixture()
    let path = fixture.folder("a.jpg")
    switch kind {
    case "folder": try makeFolders(path)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    case "link": #expect(symlink("/etc/hostname", path) == 0)
    default: #expect(symlink("nowhere", path) == 0)
    }
    let written = try await fixture.output.write([encoded("x")], for: item(key(0x11)))
    #expect(written.images.map(\.path) == ["a-1111111111111111.jpg"])
    #expect(written.isRenamed)
    #expect(access(path, F_OK) == 0 || kind == "dangling link")
    await fixture.output.shutdown()
  }

  @Test func aFolderInTheWayOfBothNamesIsACollision() async throws {
    let fixture = try await OutputFixture()
    try makeFolders(fixture.folder("a.jpg"))
    try makeFolders(fixture.folder("a-1111111111111111.jpg"))
    let error = await #expect(throws: PipelineError.self) {
      try await fixture.output.write([encoded("x")], for: item(key(0x11)))
    }
    #expect(error?.code == .nameCollision)
    await fixture.output.shutdown()
  }
}
