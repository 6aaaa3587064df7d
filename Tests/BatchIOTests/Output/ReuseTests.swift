import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct ReuseTests {
  static func reuse(
    _ fixture: OutputFixture, _ images: [StoredImage], _ key: ResourceKey, id: String
  ) async throws -> WrittenImages {
    try await fixture.output.reuse(images, for: item(key, id: id))
  }

  @Test func whatStandsUnderTheItemsNameIsKeptUntouched() async throws {
    let fixture = try await OutputFixture("{id}.{ext}")
    let written = try await fixture.output.write([encoded("picture")], for: item(key(1), id: "a"))
    var before = stat()
    #expect(stat(fixture.folder("a.jpg"), &before) == 0)
    let reused = try await Self.reuse(fixture, written.images, key(1), id: "a")
    #expect(reused.images == written.images)
    #expect(!reused.isRenamed)
    var after = stat()
    #expect(stat(fixture.folder("a.jpg"), &after) == 0)
    #expect(after.st_ino == before.st_ino)
    await fixture.output.shutdown()
  }

  @Test(arguments: Durability.allCases) func whatStandsUnderAnotherNameIsCopied(durability: Durability) async throws {
    let fixture = try await OutputFixture("{id}.{ext}", durability: durability)
    let written = try await fixture.output.write([encoded("picture")], for: item(key(1), id: "a"))
    let reused = try await Self.reuse(fixture, written.images, key(1), id: "b")
    #expect(reused.images == [stored("b.jpg", bytes: 7)])
    #expect(fixture.contents == ["a.jpg", "b.jpg"])
    #expect(fileText(fixture.folder("b.jpg")) == "picture")
    #expect(fixture.staged == [])
    await fixture.output.shutdown()
  }

  @Test func whatDoesNotStandIsLeftOutAndClaimsNothing() async throws {
    let claims = MemoryClaims()
    let fixture = try await OutputFixture("{id}.{ext}", claims: claims)
    try writeFile(fixture.folder("short.jpg"), "pict")
    try makeFolders(fixture.folder("folder.jpg"))
    try writeFile(fixture.folder("target"), "picture")
    #expect(symlink("target", fixture.folder("link.jpg")) == 0)
    for name in ["gone.jpg", "short.jpg", "folder.jpg", "link.jpg"] {
      let reused = try await Self.reuse(fixture, [stored(name, bytes: 7)], key(1), id: "x")
      #expect(reused.images == [])
    }
    #expect(claims.taken == [])
    await fixture.output.shutdown()
  }

  @Test func aFileThatIsNotKnownToBeTheKeysStays() async throws {
    let fixture = try await OutputFixture("{id}.{ext}")
    try writeFile(fixture.folder("b.jpg"), "foreign")
    let written = try await fixture.output.write([encoded("picture")], for: item(key(1), id: "a"))
    let reused = try await Self.reuse(fixture, written.images, key(1), id: "b")
    #expect(reused.images.map(\.path) == ["b-0101010101010101.jpg"])
    #expect(fileText(fixture.folder("b.jpg")) == "foreign")
    #expect(fileText(fixture.folder("b-0101010101010101.jpg")) == "picture")
    await fixture.output.shutdown()
  }

  @Test func oneOfSeveralCopiesIsEnough() async throws {
    let fixture = try await OutputFixture("{id}.{ext}")
    try writeFile(fixture.folder("c.jpg"), "picture")
    let copies = [stored("a.jpg", bytes: 7), stored("b.jpg", bytes: 7), stored("c.jpg", bytes: 7)]
    let reused = try await Self.reuse(fixture, copies, key(1), id: "a")
    #expect(reused.images == [stored("a.jpg", bytes: 7)])
    #expect(fileText(fixture.folder("a.jpg")) == "picture")
    await fixture.output.shutdown()
  }

  @Test func eachRenditionIsReusedByItself() async throws {
    let fixture = try await OutputFixture("{id}{rendition}.{ext}")
    try writeFile(fixture.folder("a-s.jpg"), "small")
    try writeFile(fixture.folder("a-l.jpg"), "large")
    let known = [
      stored("a-s.jpg", recipe: 1, rendition: "s", bytes: 5), stored("a-m.jpg", recipe: 2, rendition: "m", bytes: 6),
      stored("a-l.jpg", recipe: 3, rendition: "l", bytes: 5),
    ]
    let reused = try await Self.reuse(fixture, known, key(1), id: "b")
    #expect(
      reused.images == [
        stored("b-s.jpg", recipe: 1, rendition: "s", bytes: 5), stored("b-l.jpg", recipe: 3, rendition: "l", bytes: 5),
      ])
    #expect(fileText(fixture.folder("b-l.jpg")) == "large")
    // A rendition that has another name now: the same picture under both.
    let renamed = try await Self.reuse(
      fixture, [stored("a-s.jpg", recipe: 1, rendition: "tiny", bytes: 5)], key(1), id: "a")
    #expect(renamed.images.map(\.path) == ["a-tiny.jpg"])
    #expect(fileText(fixture.folder("a-tiny.jpg")) == "small")
    await fixture.output.shutdown()
  }

  @Test func aTakenNameIsRenamedHereAsInWrite() async throws {
    let fixture = try await OutputFixture("{name}.{ext}")
    _ = try await fixture.output.write([encoded("first")], for: item(key(0x11)))
    let second = try await fixture.output.write([encoded("second")], for: item(key(0x22)))
    let reused = try await Self.reuse(fixture, second.images, key(0x22), id: "x")
    #expect(reused.images == second.images)
    #expect(reused.isRenamed)
    // Where the renamed file has gone but another copy stands.
    unlink(fixture.folder("a-2222222222222222.jpg"))
    try writeFile(fixture.folder("other.jpg"), "second")
    let copied = try await Self.reuse(fixture, second.images + [stored("other.jpg", bytes: 6)], key(0x22), id: "x")
    #expect(copied.images.map(\.path) == ["a-2222222222222222.jpg"])
    #expect(fileText(fixture.folder("a-2222222222222222.jpg")) == "second")
    #expect(fileText(fixture.folder("a.jpg")) == "first")
    await fixture.output.shutdown()
  }

  @Test func aCopyThatCannotBeWrittenIsAnErrorAndNothingIsThere() async throws {
    let calls = ScriptedFileCalls()
    let fixture = try await OutputFixture("{id}.{ext}", calls: calls)
    let written = try await fixture.output.write([encoded("picture")], for: item(key(1), id: "a"))
    calls.fail { called, _, _ in called == .write ? ENOSPC : nil }
    let error = await #expect(throws: PipelineError.self) {
      try await Self.reuse(fixture, written.images, key(1), id: "b")
    }
    #expect(error?.code == .diskFull)
    #expect(fixture.contents == ["a.jpg"])
    #expect(fixture.staged == [])
    await fixture.output.shutdown()
  }

  @Test func aNameThatIsNotAmongTheCopiesIsKnownToTheLedger() async throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger(path: folder("ledger"))
    let fixture = try await OutputFixture("{id}.{ext}", claims: ledger)
    for number in 0..<100 {
      let written = try await fixture.output.write([encoded("picture")], for: item(key(1), id: "\(number)"))
      try await ledger.record(receipt(key(1), images: written.images))
    }
    let known = try #require(try ledger.receipt(for: key(1))).images
    #expect((1..<100).contains(known.count), "not every name is listed")
    for number in 0..<100 {
      var before = stat()
      #expect(stat(fixture.folder("\(number).jpg"), &before) == 0)
      let reused = try await Self.reuse(fixture, known, key(1), id: "\(number)")
      #expect(reused.images == [stored("\(number).jpg", bytes: 7)])
      var after = stat()
      #expect(stat(fixture.folder("\(number).jpg"), &after) == 0)
      #expect(after.st_ino == before.st_ino)
    }
    await fixture.output.shutdown()
    await ledger.shutdown()
  }

  @Test func twoRenditionsOfOneRecipeKeepAFileEach() async throws {
    let fixture = try await OutputFixture("{id}.{ext}")
    let written = try await fixture.output.write(
      [encoded("1", rendition: "a"), encoded("1", rendition: "b")], for: item(key(0x22), id: "x"))
    #expect(written.images.map(\.path) == ["x.jpg", "x-2222222222222222.jpg"])
    let copies = ["a", "b"].flatMap { name in
      written.images.map { image in
        var image = image
        image.rendition = name
        return image
      }
    }
    let reused = try await Self.reuse(fixture, copies, key(0x22), id: "x")
    #expect(reused.images == written.images)
    #expect(reused.isRenamed)
    await fixture.output.shutdown()
  }
}
