// What the README and docs/library.md show, compiled: a test looks for each of their Swift blocks in this file, line by line.
import APIClient
import StandardStages

enum ReadmeSnippets {
  static func onePicture() async throws {
    let pipeline = try Pipeline(.standard())
    let thumbnail = try await pipeline.image(at: "https://example.org/picture.jpg")
    print(thumbnail.format, thumbnail.size)
    let file = [UInt8](thumbnail.bytes)
    await pipeline.shutdown()
    print(file.count)
  }

  static func here(_ pipeline: Pipeline, _ body: [UInt8]) async throws {
    let uploaded = try await pipeline.image(for: ImageRequest(bytes: body), transform: [Resize(width: 320)])
    let local = try await pipeline.image(for: ImageRequest(file: "photo.jpg"), transform: [Resize(width: 320)])
    print(uploaded.size, local.size)
  }

  static func sizes(_ pipeline: Pipeline, _ url: String) async throws {
    let wide = try await pipeline.image(at: url, transform: [Resize(width: 640)], encode: WebPEncoder(quality: 70))
    let small = RenditionConfiguration("small", transform: [Resize(width: 320)])
    let icon = RenditionConfiguration("icon", transform: [Resize(width: 64, height: 64, fit: .cover)])
    let both = try await pipeline.image(for: ImageRequest(url), renditions: [small, icon]).images
    print(wide.size, both.count)
  }

  static func inCode() async throws {
    var configuration = try PipelineConfiguration.standard()
    configuration.transform = [StageSelection(Resize(width: 512, height: 512, fit: .cover))]
    configuration.encode = StageSelection(WebPEncoder(quality: 75))
    configuration.limits.pixels = 50_000_000
    configuration.cache = []
    configuration.transport = StageSelection(CurlStage(allowHosts: ["127.0.0.1"]))
    let pipeline = try Pipeline(configuration)
    await pipeline.shutdown()
  }

  static func many(_ pipeline: Pipeline) async throws {
    let urls = ["https://example.org/a.jpg", "https://example.org/b.jpg"]
    for try await (url, result) in pipeline.images(at: urls, concurrency: 32) {
      switch result {
      case .success(let picture): print(url, picture.images[0].size)
      case .failure(let error): print(url, error.code, error.isTransient)
      }
    }
  }

  static func list() async throws {
    let pipeline = try Pipeline(contentsOf: "config.json")
    let outcome = try await pipeline.run()
    print(outcome.progress.ok, outcome.progress.failed)
    await pipeline.shutdown()
  }

  static func api(_ pipeline: Pipeline, _ user: User) async throws {
    let client = pipeline.client
    let session = try await client.send(.post("https://api.example/sessions", json: user), as: Session.self)
    let authorization: HTTPFields = ["Authorization": "Bearer \(session.token)"]
    let list = try HTTPRequest.get("https://api.example/pictures", query: ["page": "1"], headers: authorization)
    let urls = try await client.send(list, as: [String].self)
    let answer = try await client.response(to: .delete("https://api.example/sessions/1"))
    print(urls.count, answer.status, answer.text)
  }

  static func clientAlone() async throws {
    let client = try HTTPClient(.standard())
    await client.shutdown()
  }

  static func heard() throws {
    let errors = ErrorCounter()
    let pipeline = try Pipeline(.standard(), observer: errors)
    _ = pipeline
  }

  static func stage() throws {
    var registry = StageRegistry.standard
    registry.register(Threshold.self)
    let pipeline = try Pipeline(contentsOf: "config.json", registry: registry)
    _ = pipeline
  }
}

struct User: Encodable { var name: String }
struct Session: Decodable { var token: String }

struct Threshold: ImageTransform, Stage {
  typealias Slot = TransformSlot
  static let name = "threshold"
  static let summary = "makes every sample black or white"
  static let options: [OptionDeclaration<Threshold>] = [
    .init("level", \.level, in: 1...255, "from which level on a sample is white")
  ]
  var level = 128
  var acceptedForm: PixelForm { PixelForm(layouts: [.rgb], depths: [.eight], isLiteral: true, alpha: [.opaque]) }
  func make(in context: StageContext) -> any ImageTransform { self }
  func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    var image = image
    try image.withUnsafeMutableBytes(ofPlane: 0) { for at in $0.indices { $0[at] = $0[at] < level ? 0 : 255 } }
    return image
  }
}

struct ErrorCounter: PipelineObserver {
  let count = Lock(0)
  func observe(_ event: PipelineEvent) {
    if case .finished(let result) = event, result.status == .failed { count.withLock { $0 += 1 } }
  }
}

struct PPMEncoder: ImageEncoder, Stage {
  typealias Slot = EncodeSlot
  static let name = "ppm"
  static let summary = "writes samples as they are"
  static let options: [OptionDeclaration<PPMEncoder>] = []
  func make(in context: StageContext) -> any ImageEncoder { self }
  func format(mayBeTransparent: Bool) -> ImageFormat? { ImageFormat(rawValue: "ppm") }
  func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    PixelForm(layouts: [.rgb], depths: [.eight], isLiteral: true, alpha: [.opaque])
  }
  func makeSession() -> any ImageEncoderSession { PPMEncoderSession() }
}

final class PPMEncoderSession: ImageEncoderSession {
  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    var file = Array("P6 \(image.size.width) \(image.size.height) 255\n".utf8)
    let plane = image.planes[0]
    image.withUnsafeBytes(ofPlane: 0) { samples in
      for row in 0..<plane.size.height {
        file += samples[(row * plane.bytesPerRow)...].prefix(plane.size.width * 3)
      }
    }
    return SharedBytes(file)
  }
}

struct ObjectStore: ImageOutput, Stage {
  typealias Slot = OutputSlot
  static let name = "objects"
  static let summary = "puts pictures into a store over HTTP"
  static let options: [OptionDeclaration<ObjectStore>] = [
    .init("url", \.url, "the address of the bucket", required: true)
  ]
  var url = ""
  var client: HTTPClient?
  var stateFolder: String? { nil }

  func make(in context: StageContext) throws -> any ImageOutput {
    var made = self
    made.client = try HTTPClient(transport: StageSelection(CurlStage()), context: context)
    return made
  }

  func prepare(claims: any PathClaims) async throws {}

  func write(_ images: [EncodedImage], for item: OutputItem) async throws -> WrittenImages {
    var stored: [StoredImage] = []
    for image in images {
      let path = "\(item.key.digest.hex(32))-\(image.rendition).\(image.format.fileExtension)"
      let body = HTTPRequestBody(image.bytes, contentType: image.format.mediaType)
      _ = try await client?.send(.put("\(url)/\(path)", body: body))
      stored.append(
        StoredImage(
          rendition: image.rendition, recipe: image.recipe, path: path, format: image.format, size: image.size,
          byteCount: image.bytes.count))
    }
    return WrittenImages(images: stored)
  }

  func reuse(_ images: [StoredImage], for item: OutputItem) async throws -> WrittenImages {
    WrittenImages(images: images)
  }

  func shutdown() async { await client?.shutdown() }
}
