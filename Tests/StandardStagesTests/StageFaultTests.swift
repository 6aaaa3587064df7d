import Foundation
import PipelineTesting
import StandardStages
import Testing

/// What stages, sources and callers do that a pipeline must survive.
@Suite struct StageFaultTests {
  let folder: TemporaryFolder
  let origin: ScriptedOrigin

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
  }

  static func picture(_ side: Int = 8) throws -> [UInt8] {
    let image = try PixelImage(layout: .rgb, size: PixelSize(width: side, height: side))
    return try PNGEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(5))).array()
  }

  func pipeline(rows: Int = 0, _ change: (inout PipelineConfiguration) -> Void = { _ in }) throws -> Pipeline {
    var configuration = try PipelineConfiguration.standard()
    configuration.transport = StageSelection(CurlStage(allowHosts: ["127.0.0.1"]))
    configuration.cache = []
    configuration.output = StageSelection(DirectoryOutputStage(path: folder("out")))
    if rows > 0 {
      for row in 0..<rows { origin.on("/\(row).png", .response(body: try Self.picture())) }
      let urls = (0..<rows).map { origin.url("/\($0).png") }
      try Data(urls.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder("urls.txt")))
      configuration.input = StageSelection(ListInputStage(path: folder("urls.txt")))
    }
    change(&configuration)
    return try Pipeline(configuration)
  }

  /// Gives up on some URLs with the error of a task that was cancelled, as a time limit made of a task group does.
  struct GivesUp: TransportMiddleware, Stage {
    typealias Slot = MiddlewareSlot
    static let name = "gives-up"
    static let summary = "throws CancellationError"
    static let options: [OptionDeclaration<GivesUp>] = []
    func make(in context: StageContext) -> any TransportMiddleware { self }
    func intercept(
      _ request: HTTPRequest, next: @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
      if request.url.description.hasSuffix("/3.png") { throw CancellationError() }
      return try await next(request)
    }
  }

  @Test func aCancellationThatNobodyAskedForIsAFailureOfItsRow() async throws {
    let pipeline = try pipeline(rows: 6) { $0.middleware = [StageSelection(GivesUp())] }
    let outcome = try await pipeline.run()
    #expect(outcome.ending == .complete)
    #expect(outcome.progress.ok == 5 && outcome.progress.failed == 1)
    let error = await #expect(throws: PipelineError.self) { try await pipeline.image(at: origin.url("/3.png")) }
    #expect(error?.code == .plugin && error?.isTransient == true)
    await pipeline.shutdown()
  }

  @Test func endingTheLoopEndsTheWork() async throws {
    origin.on("/a.png", .response(body: try Self.picture()))
    let url = origin.url("/a.png")
    let counter = Counter()
    var configuration = try PipelineConfiguration.standard()
    configuration.transport = StageSelection(CurlStage(allowHosts: ["127.0.0.1"]))
    configuration.cache = []
    let pipeline = try Pipeline(configuration, observer: counter)
    var taken = 0
    for try await _ in pipeline.images(at: repeatElement(url, count: 1_000_000), concurrency: 4) {
      taken += 1
      if taken == 5 { break }
    }
    // What was under way may still begin and end.
    var last = -1
    while counter.started.withLock({ $0 }) != last {
      last = counter.started.withLock { $0 }
      try await Task.sleep(for: .milliseconds(300))
    }
    #expect(last < 1000)
    await pipeline.shutdown()
  }

  final class Counter: PipelineObserver {
    let started = Lock(0)
    func observe(_ event: PipelineEvent) {
      if case .started = event { started.withLock { $0 += 1 } }
    }
  }

  @Test func aSourceThatFailsLetsWhatWasBegunFinish() async throws {
    struct Broken: Error {}
    let latch = try Latch()
    origin.on("/a.png", ScriptedReply([.wait(latch)] + ScriptedReply.response(body: try Self.picture()).steps))
    let request = try ImageRequest(origin.url("/a.png"))
    let requests = AsyncThrowingStream<ImageRequest, any Error> { continuation in
      continuation.yield(request)
      continuation.finish(throwing: Broken())
    }
    let pipeline = try pipeline()
    let reading = Task {
      var results: [Result<ProcessedImage, PipelineError>] = []
      do {
        for try await (_, result) in pipeline.images(for: requests) { results.append(result) }
      } catch is Broken { return results }
      return []
    }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(50))
    latch.open()
    let results = try await reading.value
    #expect(results.count == 1)
    #expect(throws: Never.self) { try results.first?.get() }
    await pipeline.shutdown()
  }

  @Test func cacheModesAreNotShared() async throws {
    let latch = try Latch()
    origin.on("/a.png", ScriptedReply([.wait(latch)] + ScriptedReply.response(body: try Self.picture()).steps))
    let url = try ResourceURL(origin.url("/a.png"))
    let pipeline = try pipeline { $0.cache = [StageSelection(MemoryCacheStage())] }
    let network = Task { try await pipeline.image(for: ImageRequest(url, cache: .noStore)) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let error = await #expect(throws: PipelineError.self) {
      try await pipeline.image(for: ImageRequest(url, cache: .onlyIfCached))
    }
    #expect(error?.code == .notCached)
    latch.open()
    #expect(try await network.value.images.count == 1)
    await pipeline.shutdown()
  }

  @Test func aShutdownEndsWaitsToo() async throws {
    origin.on("/busy", .response(503, headers: [("Retry-After", "3000")], body: []))
    origin.on("/hang", ScriptedReply([.hang]))
    let pipeline = try pipeline {
      var options = TransportOptions()
      options.requestsPerSecondPerHost = 0.001
      options.retry.maxBackoff = .seconds(3000)
      $0.transport = StageSelection(CurlStage(allowHosts: ["127.0.0.1"]), common: options)
      $0.limits.itemTime = .seconds(3600)
    }
    let urls = ["/busy", "/hang", "/other"].map { origin.url($0) }
    let tasks = urls.map { url in Task { try await pipeline.image(at: url) } }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(100))
    await pipeline.shutdown()
    for task in tasks {
      let error = await #expect(throws: PipelineError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func aCancelledRunEndsAtOnceAndGoesOnLater() async throws {
    let pipeline = try pipeline(rows: 4)
    origin.on("/1.png", ScriptedReply([.hang]))
    let run = Task { try await pipeline.run() }
    while origin.requests.count < 4 { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(100))
    run.cancel()
    let outcome = try await run.value
    #expect(outcome.ending == .interrupted)
    origin.on("/1.png", .response(body: try Self.picture()))
    let second = try await pipeline.run()
    #expect(second.ending == .complete)
    #expect(second.progress.failed == 0 && second.progress.ok >= 1 && second.progress.done == 4)
    await pipeline.shutdown()
  }

  @Test func aDryRunOfTheLibraryWritesNothing() async throws {
    let pipeline = try pipeline(rows: 3)
    var options = RunOptions()
    options.isDryRun = true
    let outcome = try await pipeline.run(options: options)
    #expect(outcome.progress.ok == 3)
    #expect(origin.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder("out")))
    await pipeline.shutdown()
  }

  /// An encoder that makes nothing, and one that asks for no number.
  struct Nothing: ImageEncoder, Stage {
    typealias Slot = EncodeSlot
    static let name = "nothing"
    static let summary = "makes no bytes"
    static let options: [OptionDeclaration<Nothing>] = []
    func make(in context: StageContext) -> any ImageEncoder { self }
    func format(mayBeTransparent: Bool) -> ImageFormat? { .jpeg }
    func acceptedForm(mayBeTransparent: Bool) -> PixelForm { PixelForm(layouts: [.rgb], depths: [.eight]) }
    func makeSession() -> any ImageEncoderSession { Session() }

    final class Session: ImageEncoderSession {
      func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) -> SharedBytes { .empty }
    }
  }

  struct NoNumber: ImageTransform, Stage {
    typealias Slot = TransformSlot
    static let name = "no-number"
    static let summary = "asks for what is no number"
    static let options: [OptionDeclaration<NoNumber>] = []
    func make(in context: StageContext) -> any ImageTransform { self }
    func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
      PixelDemand(region: PixelRect(x: .nan, y: 0, width: .infinity, height: .nan), scale: .nan)
    }
    func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage { image }
  }

  @Test func whatMakesNothingOrAsksForNonsenseIsBorne() async throws {
    let pipeline = try pipeline()
    let request = ImageRequest(bytes: try Self.picture(40))
    let error = await #expect(throws: PipelineError.self) {
      try await pipeline.image(for: request, transform: [], encode: Nothing())
    }
    #expect(error?.code == .encode)
    let made = try await pipeline.image(for: request, transform: [NoNumber()])
    #expect(made.size == PixelSize(width: 40, height: 40))
    await pipeline.shutdown()
  }

  @Test func typesOfOneNameAreNotTakenForEachOther() async throws {
    enum A { struct Tint: Equatable { var level = 1 } }
    enum B { struct Tint: Equatable { var level = 1 } }
    func print(_ value: Any) -> Digest {
      var print = Fingerprint("test")
      print.addContent("value", value)
      return print.digest()
    }
    #expect(print(A.Tint()) != print(B.Tint()))
    #expect(print(A.Tint()) == print(A.Tint()))
  }
}
