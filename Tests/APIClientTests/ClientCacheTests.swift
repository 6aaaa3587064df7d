import APIClient
import PipelineTesting
import StandardStages
import Testing

/// Answers are kept and used again by RFC 9111, as pictures are.
struct ClientCacheTests {
  @Test func aFreshAnswerIsUsedAgain() async throws {
    let lab = try Self.lab()
    lab.origin.on("/", .json("1", headers: [("Cache-Control", "max-age=600")]), .json("2"))
    let request = try HTTPRequest.get(lab.origin.url("/"))
    #expect(try await lab.client.send(request, as: Int.self) == 1)
    #expect(try await lab.client.send(request, as: Int.self) == 1)
    #expect(lab.origin.requests.count == 1)
    var anew = request
    anew.cache = .noStore
    #expect(try await lab.client.send(anew, as: Int.self) == 2)
    await lab.client.shutdown()
  }

  @Test func theAnswerTellsOfTheCache() async throws {
    let lab = try Self.lab()
    lab.origin.on("/", .json("1", headers: [("Cache-Control", "max-age=600")]))
    let request = try HTTPRequest.get(lab.origin.url("/"))
    let uses = [try await lab.client.send(request), try await lab.client.send(request)].map { $0.exchange?.cache }
    #expect(uses == [.miss, .hit])
    await lab.client.shutdown()
  }

  @Test func aStaleAnswerIsAskedAbout() async throws {
    let lab = try Self.lab()
    lab.origin.on(
      "/", .json("1", headers: [("Cache-Control", "max-age=0"), ("ETag", "\"a\"")]),
      .response(304, headers: [("ETag", "\"a\"")]))
    let request = try HTTPRequest.get(lab.origin.url("/"))
    #expect(try await lab.client.send(request).text == "1")
    let second = try await lab.client.send(request)
    #expect(second.text == "1")
    #expect(second.exchange?.cache == .revalidated)
    #expect(lab.origin.requests.last?.header("If-None-Match") == "\"a\"")
    await lab.client.shutdown()
  }

  @Test func anAnswerToAPostIsNotKeptAndOutdatesThatToAGet() async throws {
    let lab = try Self.lab()
    let lifetime = [("Cache-Control", "max-age=600")]
    lab.origin.on("/", .json("1", headers: lifetime), .json("2", headers: lifetime), .json("3", headers: lifetime))
    // Equal fields: they are part of the key.
    let headers: HTTPFields = ["Accept": "*/*"]
    let get = try HTTPRequest.get(lab.origin.url("/"), headers: headers)
    let post = try HTTPRequest.post(lab.origin.url("/"), json: "x", headers: headers)
    var values: [String] = []
    for request in [get, get, post, get, get] { values.append(try await lab.client.send(request).text) }
    #expect(values == ["1", "1", "2", "3", "3"])
    #expect(lab.origin.requests.map(\.method) == ["GET", "POST", "GET"])
    await lab.client.shutdown()
  }

  @Test func onlyWhatIsStored() async throws {
    let lab = try Self.lab()
    let error = try await failure {
      try await lab.client.send(.get(lab.origin.url("/"), cache: .onlyIfCached), as: Int.self)
    }
    #expect(error.code == .notCached)
    #expect(lab.origin.requests.isEmpty)
    await lab.client.shutdown()
  }

  private static func lab() throws -> APILab {
    try APILab { $0.cache = [StageSelection(MemoryCacheStage())] }
  }
}
