import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

@Suite struct NameCollisionTests {
  @Test func aNameOfAnotherKeyGetsTheHash() async throws {
    let fixture = try await OutputFixture()
    let first = try await fixture.output.write([encoded("first")], for: item(key(0x11)))
    let second = try await fixture.output.write([encoded("second")], for: item(key(0x22)))
    #expect(first.images.map(\.path) == ["a.jpg"])
    #expect(!first.isRenamed)
    #expect(second.images.map(\.path) == ["a-2222222222222222.jpg"])
    #expect(second.isRenamed)
    #expect(fileText(fixture.folder("a.jpg")) == "first")
    #expect(fileText(fixture.folder("a-2222222222222222.jpg")) == "second")
    // Again, and the names are the same.
    #expect(try await fixture.output.write([encoded("second")], for: item(key(0x22))).images == second.images)
    await fixture.output.shutdown()
  }

  @Test func whereThatIsTakenTooTheItemFailsAndLeavesNothing() async throws {
    let claims = MemoryClaims()
    _ = try claims.claim("b.jpg", for: key(1))
    _ = try claims.claim("b-2222222222222222.jpg", for: key(1))
    let fixture = try await OutputFixture("{rendition}/{name}.{ext}", claims: claims)
    let output = DirectoryOutput(
      folder: fixture.folder.path, template: try NameTemplate("{name}.{ext}"), durability: .none)
    try await output.prepare(claims: claims)
    let error = await #expect(throws: PipelineError.self) {
      try await output.write([encoded("x")], for: item(key(0x22), "http://example.org/b.jpg"))
    }
    #expect(error?.stage == .output)
    #expect(error?.code == .nameCollision)
    #expect(error?.isTransient == false)
    #expect(fixture.contents == [])
    #expect(claims.taken == ["b-2222222222222222.jpg", "b.jpg"])
    await output.shutdown()
    await fixture.output.shutdown()
  }

  @Test func twoPicturesOfAnItemNeverShareAName() async throws {
    let claims = MemoryClaims()
    let fixture = try await OutputFixture("{name}.{ext}", claims: claims)
    let written = try await fixture.output.write(
      [encoded("1", rendition: "a"), encoded("2", rendition: "b")], for: item(key(0x22)))
    #expect(written.images.map(\.path) == ["a.jpg", "a-2222222222222222.jpg"])
    let error = await #expect(throws: PipelineError.self) {
      try await fixture.output.write(
        [encoded("1", rendition: "a"), encoded("2", rendition: "b"), encoded("3", rendition: "c")],
        for: item(key(0x33), "http://example.org/c.jpg"))
    }
    #expect(error?.code == .nameCollision)
    // What the failed item had taken is free again.
    #expect(claims.taken == ["a-2222222222222222.jpg", "a.jpg"])
    await fixture.output.shutdown()
  }
}
