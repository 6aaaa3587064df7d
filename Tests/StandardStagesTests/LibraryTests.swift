import Foundation
import PipelineTesting
import StandardStages
import Testing

@testable import FetchPipeline

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
    while pipeline.sharedPictures.waiterCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
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
    while pipeline.sharedPictures.waiterCount < 2 || origin.connectionsOpen == 0 {
      try await Task.sleep(for: .milliseconds(1))
    }
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

  @Test func picturesThatAreHereHaveToBeMeant() async throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.picture(40, 30)
    try writeFile(folder("a.png"), bytes)
    let pipeline = try Self.pipeline()
    let requests = [
      ImageRequest(bytes: bytes), ImageRequest(file: folder("a.png")),
      try ImageRequest("data:image/png;base64,\(Self.base64(bytes))"),
    ]
    var made: Set<[UInt8]> = []
    for request in requests { made.insert([UInt8](try await pipeline.image(for: request).images[0].bytes)) }
    #expect(made.count == 1)
    // No URL leads to a file, whoever has written it.
    for text in [folder("a.png"), "file://\(folder("a.png"))"] {
      let error = await #expect(throws: PipelineError.self) { try await pipeline.image(at: text) }
      #expect(error?.message.contains("ImageRequest(file:)") == true)
    }
    await pipeline.shutdown()
  }

  @Test func ofManyURLsOneThatDoesNotParseFailsAlone() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a.png", .response(body: try Self.picture(40, 30)))
    let pipeline = try Self.pipeline()
    var results: [String: String] = [:]
    for try await (url, result) in pipeline.images(at: [origin.url("/a.png"), "no URL", "ftp://a/b"]) {
      switch result {
      case .success(let picture): results[url] = "\(picture.images[0].format)"
      case .failure(let error): results[url] = "\(error.stage.rawValue) \(error.code)"
      }
    }
    #expect(
      results == [
        origin.url("/a.png"): "jpeg", "no URL": "input invalid-input", "ftp://a/b": "input unsupported-scheme",
      ])
    await pipeline.shutdown()
  }

  @Test func theObserverHearsOfEachPicture() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a.png", .response(body: try Self.picture(40, 30)))
    let events = EventList()
    let pipeline = try Pipeline(Self.configuration(), observer: events)
    _ = try await pipeline.image(at: origin.url("/a.png"))
    await #expect(throws: PipelineError.self) { try await pipeline.image(at: origin.url("/b.png")) }
    for try await _ in pipeline.images(at: [origin.url("/a.png")]) {}
    await pipeline.shutdown()
    #expect(
      events.all == [
        "started 1", "finished 1 ok", "started 2", "finished 2 failed http-status", "started 3", "finished 3 ok",
      ])
  }

  /// As the program does it: with ledger, report and summary where the configuration says.
  @Test func aWholeRunKeepsItsState() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("a.png"), try Self.picture(40, 30))
    try writeFile(folder("list.jsonl"), Array("{\"url\":\"a.png\"}\nno row\n".utf8))
    let text = #"{input: "list.jsonl", output: "out", cache: []}"#
    try writeFile(folder("config.json"), Array(text.utf8))
    for expected in [[1, 0, 1], [0, 1, 1]] {
      let events = EventList()
      let pipeline = try Pipeline(contentsOf: folder("config.json"), observer: events)
      let progress = try await pipeline.run().progress
      #expect([progress.ok, progress.skipped, progress.failed] == expected)
      await pipeline.shutdown()
      // What has ended has begun.
      #expect(events.all.filter { $0.hasPrefix("started") }.count == 2)
      #expect(events.all.filter { $0.hasPrefix("finished") }.count == 2)
    }
    let files = folder.contents()
    for name in ["out/report.jsonl", "out/summary.json", "out/failed.jsonl", "out/.pipeline.sqlite"] {
      #expect(files.contains(name), "\(name)")
    }
  }

  @Test func transparencyThatAStageCostsIsSaid() async throws {
    var image = try PixelImage(layout: .rgba, size: PixelSize(width: 8, height: 8))
    image.alpha = .straight
    let encoded = try PNGEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(5)))
    var registry = StageRegistry.standard
    registry.register(Threshold.self)
    let text = #"{transform: ["threshold"], encode: "png", cache: [], input: "-"}"#
    let pipeline = try Pipeline(
      PipelineConfiguration(text: Array(text.utf8), file: nil, folder: "", registry: registry, environment: [:]),
      registry: registry)
    let made = try await pipeline.image(for: ImageRequest(bytes: encoded))
    #expect(made.flags.contains(.alphaFlattened))
    await pipeline.shutdown()
  }

  @Test func aStageOfOnesOwn() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a.png", .response(body: try Self.picture(30, 20)))
    var registry = StageRegistry.standard
    registry.register(Threshold.self)
    let text =
      #"{transform: [{use: "threshold", level: 60}], encode: "png", transport: {use: "curl", allowHosts: ["127.0.0.1"]}, cache: [], input: "-"}"#
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
    #expect(decoded.image.withUnsafeBytes(ofPlane: 0) { Array($0.prefix(3)) } == [255, 255, 0])
    await pipeline.shutdown()
  }

  @Test func theEncoderOfTheDocumentation() async throws {
    let pipeline = try Self.pipeline()
    let request = ImageRequest(bytes: try Self.picture(30, 20))
    let made = try await pipeline.image(for: request, transform: [Resize(width: 3)], encode: PPMEncoder())
    #expect(made.bytes.array() == Array("P6 3 2 255\n".utf8) + Array(repeating: [200, 100, 50], count: 6).joined())
    await pipeline.shutdown()
  }

  private static func configuration() throws -> PipelineConfiguration {
    var configuration = try PipelineConfiguration.standard()
    var transport = CurlStage()
    transport.allowHosts = ["127.0.0.1"]
    configuration.transport = StageSelection(transport)
    configuration.cache = []
    return configuration
  }

  private static func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws -> Pipeline {
    var configuration = try configuration()
    change(&configuration)
    return try Pipeline(configuration)
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

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

/// Keeps what it hears of beginnings and ends.
private final class EventList: PipelineObserver {
  private let events = Lock<[String]>([])

  var all: [String] { events.withLock { $0 } }

  func observe(_ event: PipelineEvent) {
    let text: String
    switch event {
    case .started(let id, _): text = "started \(id)"
    case .finished(let result):
      text = "finished \(result.id) \(result.status.rawValue)" + (result.error.map { " \($0.code)" } ?? "")
    default: return
    }
    events.withLock { $0.append(text) }
  }
}
