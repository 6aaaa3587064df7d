import FetchPipeline
import ImageCodecs
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The limit of CPU time stops each library in the middle of its work.
@Suite struct DecodeTimeTests {
  private static func encoders() -> [(name: String, encoder: any ImageEncoder, decoder: any ImageDecoder)] {
    var progressive = JPEGEncoder()
    progressive.isProgressive = true
    var fast = PNGEncoder()
    fast.compression = 1
    var lossless = WebPEncoder()
    lossless.isLossless = true
    lossless.effort = 0
    var lossy = WebPEncoder()
    lossy.effort = 0
    return [
      ("JPEG", JPEGEncoder(), JPEGDecoder()), ("progressive JPEG", progressive, JPEGDecoder()),
      ("PNG", fast, PNGDecoder()), ("lossy WebP", lossy, WebPDecoder()), ("lossless WebP", lossless, WebPDecoder()),
    ]
  }

  @Test func everyDecoderStopsInTime() throws {
    let image = try Self.noise(side: 2000)
    for (name, encoder, decoder) in Self.encoders() {
      let file = try encoder.makeSession().encode(image, checkpoint: .relaxed)
      let session = decoder.makeSession()
      let probe = try session.probe(file, limits: Limits())
      for plan in [DecodePlan(), DecodePlan(scale: 0.1)] {
        let start = Self.threadTime()
        let error = #expect(throws: PipelineError.self, "\(name)") {
          // A sixtieth or less of what the whole takes.
          try session.decode(
            file, probe: probe, plan: plan, checkpoint: DecodeCheckpoint(cpuTime: .milliseconds(1)))
        }
        #expect(error?.code == .decodeTimeout, "\(name)")
        // What is done between two checkpoints, on a slow machine, without optimisation.
        #expect(Self.threadTime() - start < 0.2, "\(name): \(Self.threadTime() - start) s of CPU time")
      }
    }
  }

  private static func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static func noise(side: Int) throws -> PixelImage {
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: side, height: side))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      var state: UInt32 = 1
      for at in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[at] = UInt8(truncatingIfNeeded: state >> 26) &+ UInt8(truncatingIfNeeded: at / 400 % 190)
      }
    }
    return image
  }
}
