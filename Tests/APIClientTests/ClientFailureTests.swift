import APIClient
import PipelineTesting
import StandardStages
import Testing

/// What becomes of answers that are none, or too much: as for pictures.
struct ClientFailureTests {
  @Test func aNotFoundSaysHowItsBodyBegins() async throws {
    let lab = try APILab()
    lab.origin.on("/", .json(#"{"error": "no such user"}"#, status: 404))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: User.self) }
    #expect(error.code == .httpStatus)
    #expect(error.httpStatus == 404)
    #expect(!error.isTransient)
    #expect(error.message.contains("no such user"))
    #expect(lab.origin.requests.count == 1)
    await lab.client.shutdown()
  }

  @Test func aGetIsTriedAgainAndAPostIsNot() async throws {
    let lab = try APILab()
    lab.origin.on("/get", .json("{}", status: 500), .json("7"))
    lab.origin.on("/put", .json("{}", status: 503), .json("8"))
    lab.origin.on("/post", .json("{}", status: 500), .json("9"))
    lab.origin.on("/patch", .json("{}", status: 500), .json("9"))
    let (client, origin) = (lab.client, lab.origin)
    #expect(try await client.send(.get(origin.url("/get")), as: Int.self) == 7)
    #expect(try await client.send(.put(origin.url("/put"), json: 1), as: Int.self) == 8)
    let posted = try await failure { try await client.send(.post(origin.url("/post"), json: 1), as: Int.self) }
    let patched = try await failure { try await client.send(.patch(origin.url("/patch"), json: 1), as: Int.self) }
    #expect([posted.httpStatus, patched.httpStatus] == [500, 500])
    #expect(["/get", "/put", "/post", "/patch"].map { origin.requests(for: $0).count } == [2, 2, 1, 1])
    #expect(try await client.response(to: .get(origin.url("/get"))).exchange?.attempts == 1)
    await client.shutdown()
  }

  @Test func aBodyThatWasCutIsTriedAgainAndThenAnError() async throws {
    let lab = try APILab()
    lab.origin.on("/", .cut(Array(#"{"name": "Ada", "age": 36}"#.utf8), after: 12))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: User.self) }
    #expect(error.code == .bodyTruncated)
    #expect(error.isTransient)
    #expect(lab.origin.requests.count == 3)
    await lab.client.shutdown()
  }

  @Test func moreThanTheLimitIsRefused() async throws {
    let lab = try APILab { configuration in
      APILab.transport(&configuration) { $0.maxBytes = ByteCount(1000) }
    }
    lab.origin.on("/at", .json("\"" + String(repeating: "a", count: 998) + "\""))
    lab.origin.on("/above", .json("\"" + String(repeating: "a", count: 999) + "\""))
    lab.origin.on("/endless", .endless(inChunks: true))
    #expect(try await lab.client.send(.get(lab.origin.url("/at")), as: String.self).utf8.count == 998)
    for path in ["/above", "/endless"] {
      let error = try await failure { try await lab.client.send(.get(lab.origin.url(path))) }
      #expect(error.code == .bodyTooLarge, "\(path)")
    }
    await lab.client.shutdown()
  }

  @Test func privateAddressesAreRefused() async throws {
    let origin = try ScriptedOrigin()
    let client = try HTTPClient(transport: StageSelection(CurlStage()))
    for url in [origin.url("/"), "http://2130706433:\(origin.port)/"] {
      let error = try await failure { try await client.send(.get(url), as: User.self) }
      #expect(error.code == .blockedAddress)
    }
    #expect(origin.connectionsAccepted == 0)
    await client.shutdown()
  }

  @Test func compressedBodiesAreUnwrapped() async throws {
    let lab = try APILab()
    let bytes = GzipBytes.stored(Array(#"{"name": "Ada", "age": 36}"#.utf8))
    lab.origin.on("/", .response(headers: [("Content-Encoding", "gzip")], body: bytes))
    #expect(try await lab.client.send(.get(lab.origin.url("/")), as: User.self) == User(name: "Ada", age: 36))
    await lab.client.shutdown()
  }

  @Test func redirectsAreFollowedWithoutTheSecretsOfAnotherOrigin() async throws {
    let lab = try APILab()
    let other = try ScriptedOrigin()
    lab.origin.on("/", .redirect(to: other.url("/there"), status: 307))
    other.on("/there", .json("5"))
    let headers: HTTPFields = ["Authorization": "Bearer secret"]
    let response = try await lab.client.send(.post(lab.origin.url("/"), json: 1, headers: headers))
    #expect(response.text == "5")
    #expect(response.url.port == other.port)
    #expect(lab.origin.requests.first?.header("Authorization") == "Bearer secret")
    #expect(other.requests.first?.header("Authorization") == nil)
    #expect(other.requests.first?.method == "POST")
    #expect(other.requests.first?.body == Array("1".utf8))
    await lab.client.shutdown()
  }

  @Test func anAnswerHasItsTime() async throws {
    let lab = try APILab { $0.limits.itemTime = .milliseconds(300) }
    lab.origin.on("/", ScriptedReply([.hang]))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/"))) }
    #expect(error.code == .timeout)
    #expect(error.message == "the answer took more than 0.3 s (limits.itemTime)")
    await lab.client.shutdown()
  }

  @Test func aClientNeedsATransport() {
    #expect(throws: ConfigurationError.self) { try HTTPClient(PipelineConfiguration()) }
  }

  @Test func whatNoConfigurationCouldSayIsRefused() throws {
    var configuration = try APILab.configuration()
    APILab.transport(&configuration) { $0.connections = 0 }
    let chosen = #expect(throws: ConfigurationError.self) { try HTTPClient(configuration) }
    #expect(chosen?.problems.map(\.path) == ["transport.connections"])
    var options = TransportOptions()
    options.retry.attempts = 0
    let transport = StubTransport { request, _ in .stub(200, to: request) }
    let made = #expect(throws: ConfigurationError.self) { try HTTPClient(transport: transport, options: options) }
    #expect(made?.problems.map(\.path) == ["transport.retry.attempts"])
  }
}
