import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

/// Two programs with ledgers of their own write into one folder: shares of a list, or workers.
struct SharedFolderTests {
  @Test(arguments: Durability.allCases) func neitherTakesTheOthersName(durability: Durability) async throws {
    let folder = try TemporaryFolder()
    let claims = [MemoryClaims(), MemoryClaims()]
    let outputs = try (0..<2).map { _ in
      DirectoryOutput(folder: folder("out"), template: try NameTemplate("{id}.{ext}"), durability: durability)
    }
    for (output, claims) in zip(outputs, claims) { try await output.prepare(claims: claims) }
    let written = try await withThrowingTaskGroup(of: (String, String).self) { group in
      for number in 0..<120 {
        group.addTask {
          let (output, name) = (outputs[number % 2], number / 2)
          let item = try item(key(UInt8(number)), id: "\(name)")
          let images = try await output.write([encoded("picture \(number)")], for: item)
          #expect(images.isRenamed == (images.images[0].path != "\(name).jpg"))
          return (images.images[0].path, "picture \(number)")
        }
      }
      return try await group.reduce(into: [(String, String)]()) { $0.append($1) }
    }
    for output in outputs { await output.shutdown() }
    #expect(Set(written.map(\.0)).count == 120)
    for (path, text) in written { #expect(fileText(folder("out/\(path)")) == text) }
    #expect(written.filter { !$0.0.contains("-") }.count == 60)
  }

  /// Where there are no hard links, names are as safe as they can be.
  @Test func withoutLinksFilesAreRenamed() async throws {
    let calls = ScriptedFileCalls()
    let fixture = try await OutputFixture("{id}.{ext}", calls: calls)
    calls.fail { called, _, _ in called == .link ? 1 : nil }
    _ = try await fixture.output.write([encoded("x")], for: item(key(1), id: "a"))
    #expect(fixture.contents == ["a.jpg"])
    #expect(fixture.staged == [])
    await fixture.output.shutdown()
  }
}
