import PipelineTesting
import StandardStages
import Testing

/// The pipeline as a library: one picture, many pictures, a stage of one's own.
struct LibraryTests {
  @Test func onePicture() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a.png", .response(headers: [("Content-Type", "image/png")], body: try Self.picture(400, 300)))
    let pipeline = try Self.pipeline { $0.transform = [StageSelection(Resize(width: 100, height: 100))] }
    let picture = try await pipeline.image(at: origin.url("/a.png"))
    #expect(picture.size == PixelSize(width: 100, height: 75))
    #expect(picture.format == .jpeg)
    #expect(picture.bytes.prefix(2).array() == [0xff, 0xd8])
    await pipeline.shutdown()
    await #expect(throws: (any Error).self) { try await pipeline.image(at: origin.url("/a.png")) }
  }

  @Test func equalRequestsAreServedByOneFetch() async throws {
    let origin = try ScriptedOrigin()
    let latch = try Latch()
    origin.on("/a.png", ScriptedReply([.wait(latch)] + ScriptedReply.response(body: try Self.picture(40, 30)).steps))
    let pipeline = try Self.pipeline()
    let url = origin.url("/a.png")
    async let first = pipeline.image(at: url)
    async let second = pipeline.image(at: url)
    async let third = pipeline.image(at: url)
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(50))
    latch.open()
    let pictures = try await [first, second, third]
    #expect(Set(pictures.map { $0.bytes.array() }).count == 1)
    #expect(origin.requests.count == 1)
    await pipeline.shutdown()
  }

  @Test func theLastToLeaveEndsTheWork() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/hang", ScriptedReply([.hang]))
    let pipeline = try Self.pipeline()
    let url = origin.url("/hang")
    let first = Task { try await pipeline.image(at: url) }
    let second = Task { try await pipeline.image(at: url) }
    while origin.connectionsOpen == 0 { try await Task.sleep(for: .milliseconds(1)) }
    first.cancel()
    try await Task.sleep(for: .milliseconds(50))
    #expect(origin.connectionsOpen == 1)
    second.cancel()
    #expect(await origin.waitForNoConnections())
    await #expect(throws: CancellationError.self) { try await second.value }
    await pipeline.shutdown()
  }

  @Test func manyPicturesComeAsTheyAreReady() async throws {
    let origin = try ScriptedOrigin()
    for index in 0..<50 { origin.on("/\(index).png", .response(body: try Self.picture(20 + index, 20))) }
    let pipeline = try Self.pipeline()
    let urls = (0..<55).map { origin.url("/\($0).png") }
    let requests = AsyncStream { continuation in
      for url in urls { if let parsed = try? ResourceURL(url) { continuation.yield(ImageRequest(parsed)) } }
      continuation.finish()
    }
    var widths: Set<Int> = []
    var failures = 0
    for try await (_, result) in pipeline.images(for: requests, concurrency: 8) {
      switch result {
      case .success(let processed): widths.insert(processed.source.size.width)
      case .failure(let error):
        #expect(error.code == .httpStatus)
        failures += 1
      }
    }
    #expect(widths == Set(20..<70))
    #expect(failures == 5)
    await pipeline.shutdown()
  }

  @Test func aStageOfOnesOwn() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a.png", .response(body: try Self.picture(30, 20)))
    var registry = StageRegistry.standard
    registry.register(Negative.self)
    let text =
      #"{transform: ["negative"], encode: "png", transport: {use: "curl", allowHosts: ["127.0.0.1"]}, cache: [], input: "-"}"#
    let configuration = try PipelineConfiguration(
      text: Array(text.utf8), file: nil, folder: "", registry: registry, environment: [:])
    let pipeline = try Pipeline(configuration, registry: registry)
    let picture = try await pipeline.image(at: origin.url("/a.png"))
    #expect(picture.format == .png)
    let pixels = PNGDecoder().makeSession()
    let probe = try pixels.probe(picture.bytes, limits: Limits())
    let decoded = try pixels.decode(
      picture.bytes, probe: probe, plan: DecodePlan(), checkpoint: DecodeCheckpoint(cpuTime: .seconds(5)))
    // The source is (200, 100, 50) all over.
    #expect(decoded.image.withUnsafeBytes(ofPlane: 0) { Array($0.prefix(3)) } == [55, 155, 205])
    await pipeline.shutdown()
  }

  private static func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws -> Pipeline {
    var configuration = try PipelineConfiguration.standard(registry: .standard)
    var transport = CurlStage()
    transport.allowHosts = ["127.0.0.1"]
    configuration.transport = StageSelection(transport)
    configuration.cache = []
    change(&configuration)
    return try Pipeline(configuration, registry: .standard)
  }

  /// A PNG of one colour.
  private static func picture(_ width: Int, _ height: Int) throws -> [UInt8] {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: width, height: height))
    let plane = image.planes[0]
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for row in 0..<height {
        for column in 0..<width {
          let at = row * plane.bytesPerRow + column * 3
          (bytes[at], bytes[at + 1], bytes[at + 2]) = (200, 100, 50)
        }
      }
    }
    return try PNGEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(5))).array()
  }
}
