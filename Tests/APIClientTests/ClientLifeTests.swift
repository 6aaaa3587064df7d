import APIClient
import PipelineTesting
import StandardStages
import Testing

/// A client's beginning and end, alone and beside pictures.
struct ClientLifeTests {
  @Test func cancellationEndsTheExchange() async throws {
    let lab = try APILab()
    lab.origin.on("/", ScriptedReply([.hang]))
    let (client, url) = (lab.client, lab.origin.url("/"))
    let task = Task { try await client.send(.get(url), as: User.self) }
    while lab.origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await lab.origin.waitForNoConnections(upTo: .seconds(60)))
    await client.shutdown()
  }

  @Test func whoIsCancelledBeforeAsksNothing() async throws {
    let lab = try APILab()
    let (client, url) = (lab.client, lab.origin.url("/"))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.send(.get(url))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(lab.origin.requests.isEmpty)
    await client.shutdown()
  }

  @Test func shutdownEndsWhatIsUnderWay() async throws {
    let lab = try APILab()
    lab.origin.on("/", ScriptedReply([.hang]))
    let (client, url) = (lab.client, lab.origin.url("/"))
    let task = Task { try await client.send(.get(url)) }
    while lab.origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    await client.shutdown()
    let running = try await failure { try await task.value }
    let later = try await failure { try await client.send(.get(url)) }
    #expect([running.code, later.code] == [.cancelled, .cancelled])
    #expect(lab.origin.requests.count == 1)
  }

  @Test func aPipelinesClientBesideItsPictures() async throws {
    let origin = try ScriptedOrigin()
    for index in 0..<20 { origin.on("/\(index).png", .response(body: try Self.picture(40 + index))) }
    let list = (0..<20).map { "\"\(origin.url("/\($0).png"))\"" }.joined(separator: ",")
    origin.on("/list", .json("{\"urls\": [\(list)]}"))
    struct List: Decodable { var urls: [String] }
    let pipeline = try Pipeline(
      APILab.configuration { $0.cache = [StageSelection(MemoryCacheStage())] })
    let client = pipeline.client
    // A pipeline refuses what is no picture, and its client does not.
    let refused = try await failure { try await pipeline.image(at: origin.url("/list")) }
    #expect(refused.code == .notAnImage)
    let urls = try await client.send(.get(origin.url("/list")), as: List.self).urls
    var widths: Set<Int> = []
    for try await (_, result) in pipeline.images(at: urls) {
      widths.insert(try result.get().source.size.width)
      _ = try await client.send(.get(origin.url("/list")), as: List.self)
    }
    #expect(widths == Set(40..<60))
    // It does not end what is not its own.
    await client.shutdown()
    #expect(try await pipeline.image(at: origin.url("/0.png")).size.width == 40)
    await pipeline.shutdown()
    #expect(try await failure { try await client.send(.get(origin.url("/list"))) }.code == .cancelled)
  }

  @Test func hostsSeeOneAsker() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on("/", ScriptedReply([.wait(latch)] + ScriptedReply.json("1").steps))
    origin.on("/a.png", ScriptedReply([.wait(latch)] + ScriptedReply.response(body: try Self.picture(40)).steps))
    let pipeline = try Pipeline(
      APILab.configuration { configuration in
        APILab.transport(&configuration) { $0.connectionsPerHost = 1 }
      })
    async let picture = pipeline.image(at: origin.url("/a.png"))
    async let first = pipeline.client.send(.get(origin.url("/")), as: Int.self)
    async let second = pipeline.client.send(.get(origin.url("/")), as: Int.self)
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(origin.requests.count == 1)
    latch.open()
    let numbers = try await [first, second]
    _ = try await picture
    #expect(numbers == [1, 1])
    #expect(origin.mostConnectionsOpen == 1)
    await pipeline.shutdown()
  }

  /// Answers that are kept by who asked take nothing of the pipeline's memory: it would come to a standstill.
  @Test func keptAnswersHoldNobodyUp() async throws {
    let lab = try APILab {
      $0.limits.memory = .mebibytes(16)
      $0.limits.readAhead = ByteCount(0)
    }
    let text = "\"" + String(repeating: "a", count: 1_000_000) + "\""
    lab.origin.on("/", .json(text))
    var kept: [ReceivedResponse] = []
    for _ in 0..<40 { kept.append(try await lab.client.send(.get(lab.origin.url("/")))) }
    #expect(kept.allSatisfy { $0.body.count == 1_000_002 })
    await lab.client.shutdown()
  }

  @Test func aTransportOfOnesOwnAnswersInTests() async throws {
    let transport = StubTransport { request, _ in .stub(200, to: request, body: #"{"name": "Ada", "age": 36}"#) }
    let client = try HTTPClient(transport: transport)
    #expect(try await client.send(.get("https://api.example/users/1"), as: User.self).name == "Ada")
    #expect(transport.requests.map(\.url.path) == ["/users/1"])
    await client.shutdown()
  }

  private static func picture(_ width: Int) throws -> [UInt8] {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: width, height: 20))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in for at in bytes.indices { bytes[at] = UInt8(at & 127) } }
    let session = PNGEncoder().makeSession()
    return try session.encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60))).array()
  }
}
