import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

/// Folders that somebody removes while a run goes on.
@Suite struct RemovedFolderTests {
  @Test(arguments: Durability.allCases) func theFolderForFilesBeingWrittenIsMadeAgain(
    durability: Durability
  ) async throws {
    let fixture = try await OutputFixture("{host}/{id}.{ext}", durability: durability)
    for number in 1...3 {
      TemporaryFolder.remove(fixture.folder(".pipeline.tmp"))
      let id = "\(number)"
      _ = try await fixture.output.write([encoded("picture \(id)")], for: item(key(UInt8(number)), id: id))
      #expect(fileText(fixture.folder("example.org/\(id).jpg")) == "picture \(id)")
    }
    await fixture.output.shutdown()
    #expect(fixture.folder.contents() == ["example.org/"] + (1...3).map { "example.org/\($0).jpg" })
  }

  @Test(arguments: Durability.allCases) func withoutTheOutputFolderTheRunIsOver(durability: Durability) async throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder: folder("out"), durability: durability)
    try await output.prepare(claims: MemoryClaims())
    TemporaryFolder.remove(folder("out"))
    let error = await #expect(throws: PipelineError.self) {
      try await output.write([encoded("x")], for: item(key(1)))
    }
    #expect(error?.code == .write)
    #expect(error?.endsRun == true)
    await output.shutdown()
  }

  @Test func whatOneNameCannotBeIsNoReasonToEnd() async throws {
    let fixture = try await OutputFixture("{id}/{name}.{ext}")
    try writeFile(fixture.folder("1"), "a file in the place of a folder")
    let error = await #expect(throws: PipelineError.self) {
      try await fixture.output.write([encoded("x")], for: item(key(1)))
    }
    #expect(error?.code == .write)
    #expect(error?.endsRun == false)
    await fixture.output.shutdown()
  }
}
