import Foundation
import PipelineTesting
import StandardStages
import Testing

/// Pictures that do not fit into memory together are decoded one after the other.
struct MemoryLimitTests {
  @Test func decodesThatNeedMostOfTheMemoryWaitForEachOther() async throws {
    let folder = try TemporaryFolder()
    // 18 MB of coefficients, of 24 MB that there may be.
    var encoder = JPEGEncoder()
    encoder.isProgressive = true
    let image = try PixelImage(layout: .rgb, size: PixelSize(width: 3000, height: 2000))
    let bytes = try encoder.makeSession().encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60))).array()
    let path = folder.path + "/large.jpg"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let small = folder.path + "/small.jpg"
    let little = try PixelImage(layout: .rgb, size: PixelSize(width: 30, height: 20))
    try Data(encoder.makeSession().encode(little, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60))).array())
      .write(to: URL(fileURLWithPath: small))

    var configuration = try PipelineConfiguration.standard()
    configuration.cache = []
    configuration.limits.memory = ByteCount(24_000_000)
    configuration.limits.workers = 2
    configuration.limits.itemTime = .seconds(300)
    let pipeline = try Pipeline(configuration)
    let (large, others) = try await withThrowingTaskGroup(of: (Bool, PixelSize?).self) { group in
      for number in 0..<24 {
        // Of names of their own, as equal ones would be served by one decode.
        let isLarge = number % 3 == 0
        let copy = folder.path + "/\(number).jpg"
        try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: isLarge ? path : small)
        group.addTask {
          (isLarge, try await pipeline.image(for: ImageRequest(.file(copy))).images.first?.size)
        }
      }
      var counts = (0, 0)
      for try await (isLarge, size) in group {
        if isLarge {
          #expect(size == PixelSize(width: 256, height: 171))
          counts.0 += 1
        } else {
          #expect(size == PixelSize(width: 30, height: 20))
          counts.1 += 1
        }
      }
      return counts
    }
    #expect(large == 8 && others == 16)
    await pipeline.shutdown()
  }

  /// Bodies of unknown length that need more than a quarter of the memory, several at once, beside many small ones.
  @Test func longBodiesOfUnknownLengthAreReceivedBesideShortOnes() async throws {
    let origin = try ScriptedOrigin()
    let encoder = JPEGEncoder()
    let little = try PixelImage(layout: .rgb, size: PixelSize(width: 30, height: 20))
    let picture = try encoder.makeSession().encode(little, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60))).array()
    for number in 0..<60 {
      let body = Self.padded(picture, to: number.isMultiple(of: 3) ? 300_000 : 0)
      origin.on("/\(number)", number.isMultiple(of: 2) ? Self.chunked(body) : .response(body: body))
    }
    for number in 0..<3 {
      origin.on("/long\(number)", Self.chunked(Self.padded(picture, to: 5_000_000 + number * 4_000_000)))
    }
    origin.on("/endless", Self.chunked(Self.padded(picture, to: 17_000_000)))

    var configuration = try PipelineConfiguration.standard()
    var transport = CurlStage()
    transport.allowHosts = ["127.0.0.1"]
    configuration.transport = StageSelection(transport)
    configuration.cache = []
    configuration.limits.memory = .mebibytes(16)
    configuration.limits.itemTime = .seconds(240)
    let pipeline = try Pipeline(configuration)
    let names = (0..<3).map { "/long\($0)" } + ["/endless"] + (0..<60).map { "/\($0)" }
    var failures: [String: PipelineError.Code] = [:]
    for try await (url, result) in pipeline.images(at: names.map { origin.url($0) }, concurrency: 20) {
      if case .failure(let error) = result { failures[url] = error.code }
    }
    #expect(failures == [origin.url("/endless"): .outOfBudget])
    await pipeline.shutdown()
  }

  /// A JPEG with comments that make it at least `count` bytes long.
  private static func padded(_ picture: [UInt8], to count: Int) -> [UInt8] {
    var bytes = Array(picture.prefix(2))
    while bytes.count + picture.count < count {
      bytes += [0xff, 0xfe, 0xff, 0xff] + [UInt8](repeating: 0x20, count: 65_533)
    }
    return bytes + picture.dropFirst(2)
  }

  private static func chunked(_ body: [UInt8]) -> ScriptedReply {
    .chunked(stride(from: 0, to: body.count, by: 50_000).map { Array(body[$0..<min($0 + 50_000, body.count)]) })
  }

  @Test(arguments: [ResizeFit.contain, .inside, .fill])
  func aTargetThatDoesNotFitIsRefusedBeforeItIsMade(fit: ResizeFit) async throws {
    let little = try PixelImage(layout: .rgb, size: PixelSize(width: 30, height: 20))
    let bytes = try PNGEncoder().makeSession().encode(little, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)))
      .array()
    var configuration = try PipelineConfiguration.standard()
    configuration.cache = []
    configuration.limits.memory = ByteCount(200_000_000)
    // Also where only a step in between is large.
    for last in [60_000, 100] {
      configuration.transform = [
        StageSelection(Resize(width: 60_000, height: 60_000, fit: fit, enlarge: true)),
        StageSelection(Resize(width: last, height: last)),
      ]
      let pipeline = try Pipeline(configuration)
      let data = try DataURL("data:image/png;base64," + Data(bytes).base64EncodedString())
      let error = await #expect(throws: PipelineError.self) {
        try await pipeline.image(for: ImageRequest(.data(data)))
      }
      #expect(error?.code == .outOfBudget)
      await pipeline.shutdown()
    }
  }
}
