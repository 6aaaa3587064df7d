import CImageCodecs
import FetchPipeline

/// The owner of a libjpeg compressor, which is used for picture after picture.
final class JPEGCompressor {
  private let encoder: OpaquePointer

  init() throws {
    guard let encoder = fp_jpeg_encoder_create() else { throw Self.outOfMemory }
    self.encoder = encoder
  }

  deinit {
    fp_jpeg_encoder_destroy(encoder)
  }

  /// Encodes a literal picture of 8 bits, whose layout is grey, RGB or YCbCr.
  func compress(
    _ image: PixelImage, _ settings: fp_jpeg_options, checkpoint: DecodeCheckpoint
  ) throws -> SharedBytes {
    var settings = settings
    var output: UnsafeMutablePointer<UInt8>?
    var count = 0
    let planes = image.planes
    let status = try JPEGCheckpointRelay.run(checkpoint) { ask, user in
      image.withUnsafeBytes(ofPlane: 0) { first -> fp_jpeg_status in
        guard let base = first.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return FP_JPEG_NO_MEMORY }
        if image.layout == .rgb {
          return fp_jpeg_encoder_write_pixels(
            encoder, &settings, base, planes[0].bytesPerRow, ask, user, &output, &count)
        }
        // All planes lie in one storage, at their offsets from the first.
        return fp_jpeg_encoder_write_planes(
          encoder, &settings, planes.map { Optional(base + ($0.offset - planes[0].offset)) },
          planes.map(\.bytesPerRow), planes.map { Int32(clamping: $0.size.width) },
          planes.map { Int32(clamping: $0.size.height) }, ask, user, &output, &count)
      }
    }
    guard status == FP_JPEG_OK, let output else {
      if status == FP_JPEG_NO_MEMORY { throw Self.outOfMemory }
      var notes = fp_jpeg_notes()
      fp_jpeg_encoder_notes(encoder, &notes)
      let message = withUnsafeBytes(of: notes.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw PipelineError(.encode, .encode, "the JPEG cannot be encoded: \(message)")
    }
    return SharedBytes(adoptingAllocation: output, count: count)
  }

  private static let outOfMemory = PipelineError(.encode, .outOfBudget, "the system has no memory to encode a JPEG")
}
