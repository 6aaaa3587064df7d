import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An output to a new folder.
struct OutputFixture {
  let folder: TemporaryFolder
  let output: DirectoryOutput
  let claims: any PathClaims

  init(
    _ template: String = "{name}{rendition}.{ext}", durability: Durability = .none,
    calls: any FileCalls = SystemFileCalls(), in folder: TemporaryFolder? = nil, claims: any PathClaims = MemoryClaims()
  ) async throws {
    self.folder = try folder ?? TemporaryFolder()
    self.claims = claims
    output = DirectoryOutput(
      folder: self.folder.path, template: try NameTemplate(template), durability: durability, calls: calls)
    try await output.prepare(claims: claims)
  }

  /// What stands in the folder, without what a run needs while it goes on.
  var contents: [String] { folder.contents { $0.hasPrefix(".pipeline.tmp/") } }
  /// What is being written.
  var staged: [String] {
    folder.contents { !$0.hasPrefix(".pipeline.tmp/") || $0.hasSuffix("/") || $0.hasSuffix("/lock") }
  }
}

func item(_ key: ResourceKey, _ url: String = "http://example.org/a.jpg", id: String = "1") throws -> OutputItem {
  OutputItem(id: id, row: 1, location: .url(try ResourceURL(url)), key: key)
}

func encoded(_ text: String, rendition: String = "", recipe: UInt8 = 0xee) -> EncodedImage {
  EncodedImage(
    rendition: rendition, recipe: digest(recipe), format: .jpeg, size: PixelSize(width: 192, height: 256),
    bytes: SharedBytes(utf8: text))
}

@Suite struct DirectoryOutputTests {
  @Test(arguments: Durability.allCases) func picturesAppearUnderTheirNames(durability: Durability) async throws {
    let fixture = try await OutputFixture(durability: durability)
    let written = try await fixture.output.write(
      [encoded("large one", rendition: "large"), encoded("small", rendition: "small", recipe: 2)], for: item(key(1)))
    #expect(
      written.images == [
        stored("a-large.jpg", rendition: "large", bytes: 9),
        stored("a-small.jpg", recipe: 2, rendition: "small", bytes: 5),
      ])
    #expect(!written.isRenamed)
    #expect(fixture.contents == ["a-large.jpg", "a-small.jpg"])
    #expect(fixture.staged == [])
    #expect(fileText(fixture.folder("a-large.jpg")) == "large one")
    #expect(fileText(fixture.folder("a-small.jpg")) == "small")
    await fixture.output.shutdown()
    #expect(fixture.folder.contents() == ["a-large.jpg", "a-small.jpg"])
  }

  @Test func writingAgainGivesTheSameAndReplacesWhatIsThere() async throws {
    let fixture = try await OutputFixture()
    for text in ["one", "one", "another"] {
      let written = try await fixture.output.write([encoded(text)], for: item(key(1)))
      #expect(written.images.map(\.path) == ["a.jpg"])
      #expect(fileText(fixture.folder("a.jpg")) == text)
    }
    #expect(fixture.contents == ["a.jpg"])
    await fixture.output.shutdown()
  }

  @Test func foldersOfATemplateAreMadeAndMadeAgain() async throws {
    let fixture = try await OutputFixture("{host}/{hash:2}/{name}.{ext}")
    _ = try await fixture.output.write([encoded("x")], for: item(key(0xab)))
    #expect(fixture.contents == ["example.org/", "example.org/ab/", "example.org/ab/a.jpg"])
    TemporaryFolder.remove(fixture.folder("example.org"))
    _ = try await fixture.output.write([encoded("y")], for: item(key(0xab)))
    #expect(fileText(fixture.folder("example.org/ab/a.jpg")) == "y")
    await fixture.output.shutdown()
  }

  @Test func filesHaveTheModeOfTheUmask() async throws {
    let fixture = try await OutputFixture()
    _ = try await fixture.output.write([encoded("x")], for: item(key(1)))
    try writeFile(fixture.folder("reference"), "made with mode 0666 by this process")
    var reference = stat()
    var status = stat()
    #expect(stat(fixture.folder("reference"), &reference) == 0)
    #expect(stat(fixture.folder("a.jpg"), &status) == 0)
    #expect(status.st_mode == reference.st_mode)
    await fixture.output.shutdown()
  }

  @Test func manyAtOnceAreAllThere() async throws {
    let fixture = try await OutputFixture("{id}.{ext}", durability: .batch)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<700 {
        group.addTask {
          let key = ResourceKey(HTTPRequest(.get, try ResourceURL("http://example.org/\(number)")))
          _ = try await fixture.output.write([encoded("picture \(number)")], for: item(key, id: "\(number)"))
          #expect(fileText(fixture.folder("\(number).jpg")) == "picture \(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(fixture.contents.count == 700)
    await fixture.output.shutdown()
    #expect(fixture.folder.contents().count == 700)
  }

  @Test func aSymbolicLinkInAFilesPlaceIsReplacedAndNotFollowed() async throws {
    let fixture = try await OutputFixture()
    let other = try TemporaryFolder()
    try writeFile(other("victim"), "untouched")
    _ = try fixture.claims.claim("a.jpg", for: key(1))
    #expect(symlink(other("victim"), fixture.folder("a.jpg")) == 0)
    _ = try await fixture.output.write([encoded("x")], for: item(key(1)))
    #expect(fileText(other("victim")) == "untouched")
    var status = stat()
    #expect(lstat(fixture.folder("a.jpg"), &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFREG)
    await fixture.output.shutdown()
  }

  @Test(arguments: [
    ("report.jsonl", "report-abababababababab.jsonl"), ("failed-0-of-4.jsonl", "failed-0-of-4-abababababababab.jsonl"),
    ("summary.json", "summary-abababababababab.json"), ("Summary.JSON", "Summary-abababababababab.JSON"),
    ("REPORT-1-of-2.jsonl", "REPORT-1-of-2-abababababababab.jsonl"), ("report-x.jsonl", nil), ("summary.jsonl", nil),
  ])
  func theNameOfAStateFileIsTaken(id: String, renamed: String?) async throws {
    let fixture = try await OutputFixture("{id}")
    let written = try await fixture.output.write([encoded("x")], for: item(key(0xab), id: id))
    #expect(written.images.map(\.path) == [renamed ?? id])
    #expect(written.isRenamed == (renamed != nil))
    await fixture.output.shutdown()
  }

  @Test(arguments: ["report.jsonl", "failed-0-of-4.jsonl", "summary.json", "Summary.json", "FAILED.jsonl"])
  func theNameOfAStateFileIsNoFolder(id: String) async throws {
    let fixture = try await OutputFixture("{id}/{id}.{ext}")
    let written = try await fixture.output.write([encoded("x")], for: item(key(0xab), id: id))
    #expect(written.images.map(\.path) == ["_\(id)/\(id).jpg"])
    // Deeper down they are names like any other.
    let deeper = try await OutputFixture("x/{id}/{id}")
    let below = try await deeper.output.write([encoded("x")], for: item(key(0xab), id: id))
    #expect(below.images.map(\.path) == ["x/\(id)/\(id)"])
    await fixture.output.shutdown()
    await deeper.output.shutdown()
  }

  @Test func aTemplateCannotMakeAFolderOfTheRunsOwnFolder() async throws {
    let fixture = try await OutputFixture(".{id}/{name}.{ext}")
    let written = try await fixture.output.write([encoded("x")], for: item(key(0xab), id: "pipeline.tmp"))
    #expect(written.images.map(\.path) == ["_.pipeline.tmp/a.jpg"])
    await fixture.output.shutdown()
  }

  @Test func nothingWorksBeforePrepareOrAfterTheEnd() async throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder: folder("out"))
    await #expect(throws: PipelineError.self) { try await output.write([encoded("x")], for: item(key(1))) }
    #expect(folder.contents() == [])
    try await output.prepare(claims: MemoryClaims())
    await output.shutdown()
    await #expect(throws: PipelineError.self) { try await output.write([encoded("x")], for: item(key(1))) }
    await output.shutdown()
    #expect(folder.contents() == ["out/"])
  }

  @Test func itSaysWhatAConfigurationShouldKnow() throws {
    let plain = DirectoryOutput(folder: "x")
    #expect(plain.stateFolder == "x")
    #expect(plain.separatesRenditions)
    #expect(plain.cautions(for: [.jpeg, nil]) == [])
    let short = DirectoryOutput(folder: "x", template: try NameTemplate("{id}.{ext}"))
    #expect(!short.separatesRenditions)
    #expect(short.cautions(for: [.jpeg]).count == 1)
    #expect(short.cautions(for: [.jpeg]).first?.contains("lacks {hash}") == true)
  }

  @Test func itSaysWhereAnEndingIsNotTheFormats() throws {
    let cautions = { (name: String, formats: [ImageFormat?]) in
      DirectoryOutput(folder: "x", template: try NameTemplate(name)).cautions(for: formats)
    }
    #expect(try cautions("{hash}.JPG", [.jpeg]) == [])
    #expect(try cautions("{hash}.v2.{ext}", [.png, nil]) == [])
    #expect(try cautions("{hash}.v2", [.png]) == [])
    #expect(
      try cautions("{hash}.jpg", [.jpeg, .webp]) == [
        "\"{hash}.jpg\" says jpeg, but a picture is webp: {ext} stands for the right ending"
      ])
    #expect(
      try cautions("{hash}.jpg", [nil]) == [
        "\"{hash}.jpg\" says jpeg, but the format depends on the picture: {ext} stands for the right ending"
      ])
  }
}
