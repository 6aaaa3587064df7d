import CImageCodecs
import FetchPipeline

/// The owner of a libjpeg decompressor, which is used for picture after picture.
final class JPEGDecompressor {
  private let decoder: OpaquePointer

  init() throws {
    guard let decoder = fp_jpeg_decoder_create() else {
      throw PipelineError(.decode, .outOfBudget, "the system has no memory for a JPEG decoder")
    }
    self.decoder = decoder
  }

  deinit {
    fp_jpeg_decoder_destroy(decoder)
  }

  /// Calls `body` with the headers of a picture, whose bytes stay valid for the call.
  func open<Result>(
    _ bytes: SharedBytes, _ body: (fp_jpeg_header) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { buffer throws -> Result in
      guard let base = buffer.baseAddress else {
        throw PipelineError(.decode, .truncated, "the JPEG has no bytes")
      }
      defer { fp_jpeg_decoder_close(decoder) }
      var header = fp_jpeg_header()
      let pointer = base.assumingMemoryBound(to: UInt8.self)
      try check(fp_jpeg_decoder_open(decoder, pointer, buffer.count, &header), interruption: nil)
      return try body(header)
    }
  }

  /// The `index`-th segment APPn of the open picture.
  func withSegment<Result>(
    app: Int32, index: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    var count = 0
    guard let base = fp_jpeg_decoder_segment(decoder, app, index, &count) else { return nil }
    return try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// How the open picture comes out at `scale` eighths.
  func scaled(_ scale: Int) throws -> fp_jpeg_scaled {
    var scaled = fp_jpeg_scaled()
    try check(fp_jpeg_decoder_scale(decoder, Int32(scale), &scaled), interruption: nil)
    return scaled
  }

  /// Decodes planes, at the scale asked for last.
  func readPlanes(into image: inout PixelImage, scanLimit: Int, checkpoint: DecodeCheckpoint) throws {
    let watch = Interruption(checkpoint)
    let planes = image.planes
    let status = try image.withUnsafeMutableBytes(ofPlane: 0) { first -> fp_jpeg_status in
      guard let base = first.baseAddress else { return FP_JPEG_NO_MEMORY }
      // All planes lie in one storage, at their offsets from the first.
      let pointers = planes.map { plane in
        Optional((base + plane.offset - planes[0].offset).assumingMemoryBound(to: UInt8.self))
      }
      return fp_jpeg_decoder_read_planes(
        decoder, pointers, planes.map(\.bytesPerRow), planes.map { Int32($0.size.height) }, Int32(scanLimit),
        Interruption.ask, Unmanaged.passUnretained(watch).toOpaque())
    }
    try check(status, interruption: watch)
  }

  /// Decodes interleaved pixels, at the scale asked for last.
  func readPixels(into image: inout PixelImage, scanLimit: Int, checkpoint: DecodeCheckpoint) throws {
    let watch = Interruption(checkpoint)
    let stride = image.planes[0].bytesPerRow
    let status = try image.withUnsafeMutableBytes(ofPlane: 0) { bytes -> fp_jpeg_status in
      guard let base = bytes.baseAddress else { return FP_JPEG_NO_MEMORY }
      return fp_jpeg_decoder_read_pixels(
        decoder, base.assumingMemoryBound(to: UInt8.self), stride, Int32(scanLimit), Interruption.ask,
        Unmanaged.passUnretained(watch).toOpaque())
    }
    try check(status, interruption: watch)
  }

  /// What the library has said of the data so far.
  var notes: JPEGNotes {
    var notes = fp_jpeg_notes()
    fp_jpeg_decoder_notes(decoder, &notes)
    return JPEGNotes(notes, hasAllScans: fp_jpeg_decoder_has_all_scans(decoder))
  }

  private func check(_ status: fp_jpeg_status, interruption: Interruption?) throws {
    switch status {
    case FP_JPEG_OK: return
    case FP_JPEG_STOPPED: throw interruption?.error ?? CancellationError()
    case FP_JPEG_TOO_MANY_SCANS:
      throw PipelineError(.decode, .tooManyScans, "the JPEG has more scans than are read")
    case FP_JPEG_NO_MEMORY:
      throw PipelineError(.decode, .outOfBudget, "the system has no memory for this JPEG")
    default: throw notes.error ?? PipelineError(.decode, .corrupt, "the JPEG cannot be decoded")
    }
  }

  /// Carries a checkpoint through C: an error that it throws waits here until C has returned.
  private final class Interruption {
    private let checkpoint: DecodeCheckpoint
    private(set) var error: (any Error)?

    init(_ checkpoint: DecodeCheckpoint) {
      self.checkpoint = checkpoint
    }

    static let ask: fp_jpeg_checkpoint = { context in
      guard let context else { return true }
      let interruption = Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue()
      do {
        try interruption.checkpoint()
        return true
      } catch {
        interruption.error = error
        return false
      }
    }
  }
}
