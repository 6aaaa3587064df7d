import CImageCodecs
import FetchPipeline

/// The owner of a libjpeg decompressor, which is used for picture after picture.
final class JPEGDecompressor {
  private let decoder: OpaquePointer

  init() throws {
    guard let decoder = fp_jpeg_decoder_create() else { throw Self.outOfMemory }
    self.decoder = decoder
  }

  deinit {
    fp_jpeg_decoder_destroy(decoder)
  }

  /// Calls `body` with the headers of a picture, which is open, and its bytes in place, for the call.
  func open<Result>(_ bytes: SharedBytes, _ body: (fp_jpeg_header) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { buffer throws -> Result in
      guard let base = buffer.baseAddress else { throw PipelineError(.decode, .truncated, "the JPEG has no bytes") }
      defer { fp_jpeg_decoder_close(decoder) }
      var header = fp_jpeg_header()
      try check(fp_jpeg_decoder_open(decoder, base.assumingMemoryBound(to: UInt8.self), buffer.count, &header))
      return try body(header)
    }
  }

  // MARK: While a picture is open

  /// The EXIF metadata of the open picture: a TIFF block.
  var exif: UnsafeRawBufferPointer? {
    var count = 0
    return fp_jpeg_decoder_exif(decoder, &count).map { UnsafeRawBufferPointer(start: $0, count: count) }
  }

  /// The parts of the open picture's ICC profile, as they come.
  var profileParts: some Sequence<UnsafeRawBufferPointer> {
    sequence(state: Int32(0)) { [decoder] index in
      var count = 0
      defer { index += 1 }
      return fp_jpeg_decoder_profile_part(decoder, index, &count).map {
        UnsafeRawBufferPointer(start: $0, count: count)
      }
    }
  }

  /// How the open picture comes out at `eighths` of its size.
  func scaled(_ eighths: Int) throws -> fp_jpeg_scaled {
    var scaled = fp_jpeg_scaled()
    try check(fp_jpeg_decoder_scale(decoder, Int32(eighths), &scaled))
    return scaled
  }

  /// Has only these parts of the open picture's bytes read, as though there were no others: the first begins where the
  /// headers end. False where it cannot be done.
  func choose(_ parts: [Range<Int>]) -> Bool {
    let parts = parts.map { fp_jpeg_part(offset: $0.lowerBound, count: $0.count) }
    return parts.withUnsafeBufferPointer { parts in
      parts.baseAddress.map { fp_jpeg_decoder_choose(decoder, $0, parts.count) } ?? false
    }
  }

  /// Decodes planes, at the scale asked for last.
  func readPlanes(into image: inout PixelImage, scanLimit: Int32, checkpoint: DecodeCheckpoint) throws {
    let planes = image.planes
    let status = try JPEGCheckpointRelay.run(checkpoint) { ask, user in
      try image.withUnsafeMutableBytes(ofPlane: 0) { first in
        guard let base = first.baseAddress else { return FP_JPEG_NO_MEMORY }
        // All planes lie in one storage, at their offsets from the first.
        let pointers = planes.map { plane in
          Optional((base + (plane.offset - planes[0].offset)).assumingMemoryBound(to: UInt8.self))
        }
        return fp_jpeg_decoder_read_planes(
          decoder, pointers, planes.map(\.bytesPerRow), planes.map { Int32(clamping: $0.size.height) }, scanLimit, ask,
          user)
      }
    }
    try checkScan(status)
  }

  /// Decodes interleaved pixels, at the scale asked for last.
  func readPixels(into image: inout PixelImage, scanLimit: Int32, checkpoint: DecodeCheckpoint) throws {
    let stride = image.planes[0].bytesPerRow
    let status = try JPEGCheckpointRelay.run(checkpoint) { ask, user in
      try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
        guard let base = bytes.baseAddress else { return FP_JPEG_NO_MEMORY }
        return fp_jpeg_decoder_read_pixels(
          decoder, base.assumingMemoryBound(to: UInt8.self), stride, scanLimit, ask, user)
      }
    }
    try checkScan(status)
  }

  /// What the library has said of the data so far.
  var notes: JPEGNotes {
    var notes = fp_jpeg_notes()
    fp_jpeg_decoder_notes(decoder, &notes)
    return JPEGNotes(notes)
  }

  /// The library's refusal to go on behind the headers.
  struct ScanFailure: Error {
    let error: PipelineError
    /// The bytes that were read before.
    let offset: Int
  }

  private func checkScan(_ status: fp_jpeg_status) throws {
    guard status == FP_JPEG_FAILED else { return try check(status) }
    throw ScanFailure(error: notes.error, offset: fp_jpeg_decoder_offset(decoder))
  }

  private func check(_ status: fp_jpeg_status) throws {
    switch status {
    case FP_JPEG_OK: return
    case FP_JPEG_TOO_MANY_SCANS:
      throw PipelineError(.decode, .tooManyScans, "the JPEG has more scans than are read (limits.scans)")
    case FP_JPEG_NO_MEMORY: throw Self.outOfMemory
    default: throw notes.error
    }
  }

  private static let outOfMemory = PipelineError(.decode, .outOfBudget, "the system has no memory to decode a JPEG")
}
