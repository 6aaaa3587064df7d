// What the README shows, compiled: a test looks for each of its Swift blocks in this file, line by line.
import StandardStages

enum ReadmeSnippets {
  static func onePicture() async throws {
    let pipeline = try Pipeline(.standard())
    let thumbnail = try await pipeline.image(at: "https://example.org/picture.jpg")
    print(thumbnail.format, thumbnail.size, thumbnail.bytes.count)
    await pipeline.shutdown()
  }

  static func inCode() async throws {
    var configuration = try PipelineConfiguration.standard()
    configuration.transform = [StageSelection(Resize(width: 512, height: 512, fit: .cover))]
    configuration.encode = StageSelection(WebPEncoder())
    configuration.limits.pixels = 50_000_000
    configuration.cache = []
    var transport = CurlStage()
    transport.allowHosts = ["127.0.0.1"]
    configuration.transport = StageSelection(transport)
    let pipeline = try Pipeline(configuration)
    await pipeline.shutdown()
  }

  static func many(_ pipeline: Pipeline) async throws {
    let requests = try ["https://example.org/a.jpg", "https://example.org/b.jpg"].map { try ImageRequest($0) }
    for try await (request, result) in pipeline.images(for: requests, concurrency: 32) {
      switch result {
      case .success(let picture): print(request.location, picture.images[0].size)
      case .failure(let error): print(request.location, error.code, error.isTransient)
      }
    }
  }

  static func list() async throws {
    let pipeline = try Pipeline(contentsOf: "config.json")
    let state = try StateFolder.open(path: "thumbnails")
    let outcome = try await pipeline.run(store: state.ledger, report: state.report)
    try await state.close(.complete)
    await pipeline.shutdown()
    print(outcome.progress.ok, outcome.progress.failed)
  }

  static func stage() throws {
    var registry = StageRegistry.standard
    registry.register(Negative.self)
    let pipeline = try Pipeline(contentsOf: "config.json", registry: registry)
    _ = pipeline
  }
}

struct Negative: ImageTransform, Stage {
  typealias Slot = TransformSlot
  static let name = "negative"
  static let summary = "replaces every colour by its opposite"
  static let options: [OptionDeclaration<Negative>] = []
  var acceptedForm: PixelForm { PixelForm(layouts: [.rgb], depths: [.eight], isLiteral: true, alpha: [.opaque]) }
  func make(in context: StageContext) -> any ImageTransform { self }
  func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    var image = image
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in for at in bytes.indices { bytes[at] = ~bytes[at] } }
    return image
  }
}

struct ErrorCounter: PipelineObserver {
  let count = Lock(0)
  func observe(_ event: PipelineEvent) {
    if case .finished(let result) = event, result.status == .failed { count.withLock { $0 += 1 } }
  }
}
