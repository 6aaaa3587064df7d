import APIClient
import PipelineTesting
import StandardStages
import Testing

/// A stage that asks an API itself: builders are synchronous, so what has to be fetched first is a middleware's.
struct TokenMiddlewareTests {
  @Test func aTokenIsFetchedOnceAndSentWithEveryPicture() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/token", .json(#"{"token": "t0ken", "lifetime": 60}"#).delayed(by: .milliseconds(50)))
    for index in 0..<10 { origin.on("/\(index).png", .response(404)) }
    var curl = CurlStage()
    curl.allowHosts = ["127.0.0.1"]
    // A client of its own: that of the pipeline would go through the middleware again.
    let client = try HTTPClient(transport: StageSelection(curl))
    let tokens = TokenMiddlewareStage(client: client, url: try ResourceURL(origin.url("/token")))
    let pipeline = try Pipeline(APILab.configuration { $0.middleware = [StageSelection(tokens)] })
    for try await (_, result) in pipeline.images(at: (0..<10).map { origin.url("/\($0).png") }) {
      #expect(throws: PipelineError.self) { try result.get() }
    }
    #expect(origin.requests(for: "/token").count == 1)
    #expect(origin.requests(for: "/token").first?.header("Authorization") == nil)
    let pictures = origin.requests.filter { $0.target != "/token" }
    #expect(pictures.count == 10)
    #expect(pictures.allSatisfy { $0.header("Authorization") == "Bearer t0ken" })
    await pipeline.shutdown()
    await client.shutdown()
  }

  @Test func aTokenThatIsRefusedFailsThePicture() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/token", .json("{}", status: 401))
    origin.on("/a.png", .response(404))
    var curl = CurlStage()
    curl.allowHosts = ["127.0.0.1"]
    let client = try HTTPClient(transport: StageSelection(curl))
    let tokens = TokenMiddlewareStage(client: client, url: try ResourceURL(origin.url("/token")))
    let pipeline = try Pipeline(APILab.configuration { $0.middleware = [StageSelection(tokens)] })
    let error = try await failure { try await pipeline.image(at: origin.url("/a.png")) }
    #expect(error.code == .httpStatus && error.httpStatus == 401)
    #expect(origin.requests(for: "/a.png").isEmpty)
    await pipeline.shutdown()
    await client.shutdown()
  }
}

/// Sends a token with every request, which an API gives out.
private struct TokenMiddlewareStage: Stage {
  typealias Slot = MiddlewareSlot
  static let name = "token"
  static let summary = "sends a token with every request"
  static let options: [OptionDeclaration<TokenMiddlewareStage>] = []
  private let tokens: TokenSource?

  init() { tokens = nil }

  init(client: HTTPClient, url: ResourceURL) { tokens = TokenSource(client: client, url: url) }

  func make(in context: StageContext) -> any TransportMiddleware { Middleware(tokens: tokens) }

  private struct Middleware: TransportMiddleware {
    let tokens: TokenSource?

    func intercept(
      _ request: HTTPRequest, next: @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
      var request = request
      if let tokens { request.headers["Authorization"] = "Bearer \(try await tokens.token())" }
      return try await next(request)
    }
  }
}

/// Asks once, for all who ask meanwhile; a failure is not kept.
private actor TokenSource {
  private let client: HTTPClient
  private let url: ResourceURL
  private var asking: Task<String, any Error>?

  init(client: HTTPClient, url: ResourceURL) {
    self.client = client
    self.url = url
  }

  func token() async throws -> String {
    let task =
      asking
      ?? Task { [client, url] in
        try await client.send(.post(url, form: ["grant_type": "client_credentials"]), as: Token.self).token
      }
    asking = task
    do { return try await task.value } catch {
      asking = nil
      throw error
    }
  }
}
