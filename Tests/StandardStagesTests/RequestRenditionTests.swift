import PipelineTesting
import StandardStages
import Testing

@testable import FetchPipeline

/// Pictures that a request asks for, in place of the configured ones.
@Suite struct RequestRenditionTests {
  let origin: ScriptedOrigin

  init() throws { origin = try ScriptedOrigin() }

  func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws -> Pipeline {
    var configuration = try PipelineConfiguration.standard()
    var transport = CurlStage()
    transport.allowHosts = ["127.0.0.1"]
    configuration.transport = StageSelection(transport)
    configuration.cache = []
    change(&configuration)
    return try Pipeline(configuration)
  }

  /// Returns when so many wait for pictures, and so many for fetches, and one has been begun.
  func wait(_ pipeline: Pipeline, pictures: Int, fetches: Int) async throws {
    while pipeline.sharedPictures.waiterCount < pictures || pipeline.sharedFetches.waiterCount < fetches
      || origin.requests.isEmpty
    { try await Task.sleep(for: .milliseconds(1)) }
  }

  func serve(_ path: String, _ width: Int, _ height: Int, behind latch: Latch? = nil) throws -> String {
    let image = try PixelImage(layout: .rgb, size: PixelSize(width: width, height: height))
    let body = try PNGEncoder().makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(5))).array()
    origin.on(path, ScriptedReply((latch.map { [.wait($0)] } ?? []) + ScriptedReply.response(body: body).steps))
    return origin.url(path)
  }

  @Test func eachRequestMayHaveSizesAndFormatsOfItsOwn() async throws {
    let url = try serve("/a.png", 800, 400)
    let pipeline = try pipeline()
    let wide = try await pipeline.image(at: url, transform: [Resize(width: 300)], encode: WebPEncoder(quality: 70))
    #expect(wide.format == .webp && wide.size == PixelSize(width: 300, height: 150))
    let square = try await pipeline.image(
      at: url, transform: [Resize(width: 64, height: 64, fit: .cover), Grayscale()])
    #expect(square.format == .jpeg && square.size == PixelSize(width: 64, height: 64))
    let untouched = try await pipeline.image(at: url, transform: [])
    #expect(untouched.size == PixelSize(width: 800, height: 400))
    let configured = try await pipeline.image(at: url)
    #expect(configured.size == PixelSize(width: 256, height: 128))
    let both = try await pipeline.image(
      for: ImageRequest(url),
      renditions: [
        RenditionConfiguration("small", transform: [Resize(width: 10)]),
        RenditionConfiguration("large", transform: [Resize(width: 100)], encode: PNGEncoder()),
      ])
    #expect(both.images.map(\.rendition) == ["small", "large"])
    #expect(both.images.map(\.format) == [.jpeg, .png])
    #expect(both.images.map(\.size.width) == [10, 100])
    await pipeline.shutdown()
  }

  /// The bytes are those that a pipeline with these stages makes.
  @Test func theyAreThePicturesOfAPipelineWithThoseStages() async throws {
    let url = try serve("/a.png", 500, 400)
    let (configured, asked) = (
      try pipeline {
        $0.transform = [StageSelection(Resize(width: 90))]
        $0.encode = StageSelection(JPEGEncoder(quality: 55))
      }, try pipeline()
    )
    let first = try await configured.image(at: url)
    let second = try await asked.image(at: url, transform: [Resize(width: 90)], encode: JPEGEncoder(quality: 55))
    #expect(first.bytes.array() == second.bytes.array())
    #expect(first.recipe == second.recipe)
    // Another quality, on the same threads.
    let third = try await asked.image(at: url, transform: [Resize(width: 90)], encode: JPEGEncoder(quality: 95))
    #expect(third.bytes.count != second.bytes.count)
    await configured.shutdown()
    await asked.shutdown()
  }

  @Test func differentPicturesOfOneSourceShareItsFetch() async throws {
    let latch = try Latch()
    let url = try serve("/a.png", 800, 400, behind: latch)
    let pipeline = try pipeline()
    let sizes = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for width in 1...40 {
          group.addTask { try await pipeline.image(at: url, transform: [Resize(width: width * 5)]).size.width }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    try await wait(pipeline, pictures: 40, fetches: 40)
    latch.open()
    #expect(try await sizes.value.sorted() == (1...40).map { $0 * 5 })
    #expect(origin.requests.count == 1)
    await pipeline.shutdown()
  }

  @Test func whoIsCancelledWaitsForNobody() async throws {
    let latch = try Latch()
    let url = try serve("/a.png", 80, 40, behind: latch)
    let pipeline = try pipeline()
    let first = Task { try await pipeline.image(at: url) }
    let second = Task { try await pipeline.image(at: url) }
    let third = Task { try await pipeline.image(at: url, transform: [Resize(width: 8)]) }
    try await wait(pipeline, pictures: 3, fetches: 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    latch.open()
    #expect(try await second.value.size.width == 80)
    #expect(origin.requests.count == 1)
    await pipeline.shutdown()
  }

  /// A stage whose picture depends on what no configuration can say.
  struct Fill: ImageTransform, Stage {
    typealias Slot = TransformSlot
    static let name = "fill"
    static let summary = "makes every sample one level"
    static let options: [OptionDeclaration<Fill>] = []
    var level: UInt8 = 0
    func make(in context: StageContext) -> any ImageTransform { self }
    func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
      var image = image
      try image.withUnsafeMutableBytes(ofPlane: 0) { for at in $0.indices { $0[at] = level } }
      return image
    }
  }

  @Test func whatAStageStoresIsNotShared() async throws {
    let latch = try Latch()
    let url = try serve("/a.png", 8, 8, behind: latch)
    let pipeline = try pipeline()
    let levels: [UInt8] = [10, 200]
    let tasks = levels.map { level in
      Task { try await pipeline.image(at: url, transform: [Fill(level: level)], encode: PNGEncoder()).bytes.array() }
    }
    try await wait(pipeline, pictures: 2, fetches: 2)
    latch.open()
    let pictures = [try await tasks[0].value, try await tasks[1].value]
    #expect(pictures[0] != pictures[1])
    #expect(origin.requests.count == 1)
    await pipeline.shutdown()
  }

  /// Computes until it is stopped.
  struct Endless: ImageTransform, Stage {
    typealias Slot = TransformSlot
    static let name = "endless"
    static let summary = "has no end"
    static let options: [OptionDeclaration<Endless>] = []
    func make(in context: StageContext) -> any ImageTransform { self }
    func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
      while true { try context.checkpoint() }
    }
  }

  @Test func aShutdownEndsWhatIsUnderWay() async throws {
    let url = try serve("/a.png", 8, 8)
    let pipeline = try pipeline { $0.limits.workers = 1 }
    let bytes = try PNGEncoder().makeSession()
      .encode(PixelImage(layout: .rgb, size: PixelSize(width: 4, height: 4)), checkpoint: .init(cpuTime: .seconds(9)))
    let tasks = (0..<3).map { _ in
      Task { try await pipeline.image(for: ImageRequest(bytes: bytes), transform: [Endless()]) }
    }
    try await Task.sleep(for: .milliseconds(100))
    await pipeline.shutdown()
    for task in tasks {
      let error = await #expect(throws: PipelineError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
    for request in [ImageRequest(bytes: bytes), try ImageRequest(url)] {
      let error = await #expect(throws: PipelineError.self) { try await pipeline.image(for: request) }
      #expect(error?.code == .cancelled)
    }
    await pipeline.shutdown()
  }

  @Test func aServiceLearnsOfTypesAndHeaders() async throws {
    origin.on(
      "/a.png",
      .response(
        headers: [("Cache-Control", "max-age=7")],
        body: try PNGEncoder().makeSession().encode(
          PixelImage(layout: .rgb, size: PixelSize(width: 4, height: 4)), checkpoint: .init(cpuTime: .seconds(9))
        ).array()))
    let pipeline = try pipeline()
    let made = try await pipeline.image(for: ImageRequest(origin.url("/a.png")))
    #expect(made.headers?["Cache-Control"] == "max-age=7")
    #expect(made.images.first?.format.mediaType == "image/jpeg")
    await pipeline.shutdown()
  }

  @Test func aShareOfAFailedFetchFails() async throws {
    let latch = try Latch()
    origin.on("/none", ScriptedReply([.wait(latch)] + ScriptedReply.response(404, body: []).steps))
    let pipeline = try pipeline()
    let url = origin.url("/none")
    let tasks = [5, 6].map { width in Task { try await pipeline.image(at: url, transform: [Resize(width: width)]) } }
    try await wait(pipeline, pictures: 2, fetches: 2)
    latch.open()
    for task in tasks {
      let error = await #expect(throws: PipelineError.self) { try await task.value }
      #expect(error?.httpStatus == 404)
    }
    await pipeline.shutdown()
  }

  @Test func whatCannotBeIsToldBeforeAnythingIsDone() async throws {
    let url = try serve("/a.png", 80, 40)
    let pipeline = try pipeline()
    for renditions in [
      [], [RenditionConfiguration(transform: [Resize(width: 0)])],
      [RenditionConfiguration(transform: [], encode: JPEGEncoder(quality: 0))],
      [RenditionConfiguration(transform: []), RenditionConfiguration(transform: [Resize(width: 5)])],
    ] {
      let request = try ImageRequest(url)
      let error = await #expect(throws: ConfigurationError.self) {
        try await pipeline.image(for: request, renditions: renditions)
      }
      #expect(error?.problems.count == 1)
    }
    #expect(origin.requests.isEmpty)
    await pipeline.shutdown()
  }

  /// With room for a few pictures at a time, whatever is kept by mistake would stop all others.
  @Test func theirMemoryIsGivenBack() async throws {
    let url = try serve("/a.png", 1400, 1400)
    let pipeline = try pipeline {
      $0.limits.memory = ByteCount(16 << 20)
      $0.limits.readAhead = ByteCount(1_000_000)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for width in 1...30 {
        group.addTask {
          let renditions = [RenditionConfiguration(transform: [Resize(width: width)])]
          for try await (_, result) in pipeline.images(at: [url, url], renditions: renditions) {
            #expect(try result.get().images.map(\.size.width) == [width])
          }
        }
      }
      try await group.waitForAll()
    }
    await pipeline.shutdown()
  }
}
