import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Names that do not exist.
@Suite(.timeLimit(.minutes(5)))
struct NameLookupTests {
  @Test(arguments: ["name.invalid", "invalid", "a.b.invalid."])
  func namesThatCannotExistAreUnknownForGood(name: String) async throws {
    let transport = try loopbackTransport()
    let error = await failure { try await transport.get("http://\(name)/") }
    #expect(error?.code == .dns)
    #expect(error?.isTransient == false)
    #expect(error?.message == "there is no host named \(name)")
  }

  @Test func manyUnknownNamesFailEachForItself() async throws {
    let transport = try loopbackTransport()
    let codes = await withTaskGroup(of: PipelineError.Code?.self) { group in
      for index in 0..<100 {
        group.addTask { await failure { try await transport.get("http://n\(index).invalid/") }?.code }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .dns, count: 100))
  }
}
