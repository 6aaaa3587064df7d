import FetchPipeline
import ImageCodecs
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Not under the address sanitizer, which holds back what is freed, and finds leaks by itself.
@Suite("Memory of the JPEG stages", .serialized, .enabled(if: dlsym(nil, "__asan_init") == nil))
struct JPEGMemoryTests {
  /// What other tests, which run meanwhile, may hold more at the end than at the start; a leak of what is looked for here
  /// is several times that.
  private static let allowance = 64 << 20

  private func growth(_ rounds: Int, _ body: () throws -> Void) rethrows -> Int {
    for _ in 0..<rounds / 10 { try body() }
    let before = ResidentMemory.now()
    for _ in 0..<rounds { try body() }
    return ResidentMemory.now() - before
  }

  @Test("Two hundred decodes leave nothing, whether they end well or not")
  func decodes() throws {
    // Planes of 1.5 MB, and as many coefficients twice.
    let source = JPEGBytes.color(1000, 1000)
    let progressive = source.progressiveFile
    let cut = Array(progressive.dropLast(40))
    let file = source.file
    let decoding = JPEGDecoding()
    let grown = try growth(200) {
      _ = try decoding.decode(file)
      _ = try decoding.decode(progressive, scale: 1 / 8)
      #expect(decoding.failure(cut) == .truncated)
      #expect(throws: CancellationError.self) {
        try decoding.decode(file, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
      }
    }
    #expect(grown < Self.allowance)
  }

  @Test("Tables of the library are given back: 20,000 small pictures would keep 60 MB of them, and sessions more")
  func smallPictures() throws {
    let file = JPEGBytes.gray(8, 8) { _, _ in 50 }.file
    let decoding = JPEGDecoding()
    let grown = try growth(20_000) { _ = try decoding.decode(file) }
    #expect(grown < Self.allowance / 2)
    let sessions = try growth(10_000) { _ = try JPEGDecoding().decode(file) }
    #expect(sessions < Self.allowance / 2)
  }

  @Test("Two hundred encodes leave nothing, whether they end well or not")
  func encodes() throws {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: 600, height: 600))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for at in bytes.indices { bytes[at] = UInt8(truncatingIfNeeded: at &* 2_654_435_761 >> 13) }
    }
    let session = JPEGEncoder().makeSession()
    let grown = try growth(200) {
      _ = try session.encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)))
      #expect(throws: CancellationError.self) {
        try session.encode(image, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
      }
    }
    #expect(grown < Self.allowance)
  }
}
