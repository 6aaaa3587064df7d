import CWebP
import FetchPipeline

/// Decodes one frame, in slices of its data, so that it can be stopped.
struct WebPFrameDecoder {
  /// The frame.
  let frame: WebPContainer.Frame
  /// Which part, and how large.
  let geometry: WebPGeometry
  /// Whether what has come is kept where the rest does not.
  let onDamage: DamagePolicy

  /// Decodes to Y, U and V samples of limited range.
  ///
  /// - Parameter planes: the first sample, the bytes from row to row and those in all, of each.
  /// - Returns: why the rows below some are missing; they are left as they were.
  func decodePlanes(_ planes: [Destination], checkpoint: DecodeCheckpoint) throws -> PipelineError? {
    guard planes.count == 3 else { return nil }
    return try decode(checkpoint: checkpoint) { output in
      output.colorspace = MODE_YUV
      output.u.YUVA.y = planes[0].base
      output.u.YUVA.y_stride = planes[0].stride
      output.u.YUVA.y_size = planes[0].count
      output.u.YUVA.u = planes[1].base
      output.u.YUVA.u_stride = planes[1].stride
      output.u.YUVA.u_size = planes[1].count
      output.u.YUVA.v = planes[2].base
      output.u.YUVA.v_stride = planes[2].stride
      output.u.YUVA.v_size = planes[2].count
    }
  }

  /// Decodes to pixels of `mode`.
  ///
  /// - Returns: why the rows below some are missing; they are left as they were.
  func decodePixels(
    _ mode: WEBP_CSP_MODE, to destination: Destination, checkpoint: DecodeCheckpoint
  ) throws -> PipelineError? {
    try decode(checkpoint: checkpoint) { output in
      output.colorspace = mode
      output.u.RGBA.rgba = destination.base
      output.u.RGBA.stride = destination.stride
      output.u.RGBA.size = destination.count
    }
  }

  /// Where samples go.
  struct Destination {
    let base: UnsafeMutablePointer<UInt8>
    let stride: Int32
    let count: Int

    init(_ base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int, rowBytes: Int) {
      self.base = base.assumingMemoryBound(to: UInt8.self)
      stride = Int32(clamping: bytesPerRow)
      count = bytesPerRow * (rows - 1) + rowBytes
    }
  }

  private func decode(
    checkpoint: DecodeCheckpoint, _ prepare: (inout WebPDecBuffer) -> Void
  ) throws -> PipelineError? {
    try checkpoint()
    // It must keep its place while the decoder lives, which refers to it.
    let config = UnsafeMutablePointer<WebPDecoderConfig>.allocate(capacity: 1)
    defer { config.deallocate() }
    guard WebPInitDecoderConfig(config) != 0 else {
      throw PipelineError(.decode, .unsupportedFeature, "libwebp is of another version than it was compiled against")
    }
    config.pointee.output.is_external_memory = 1
    prepare(&config.pointee.output)
    if geometry.isPart(of: frame.size) {
      config.pointee.options.use_cropping = 1
      config.pointee.options.crop_left = Int32(clamping: geometry.columns.lowerBound)
      config.pointee.options.crop_top = Int32(clamping: geometry.rows.lowerBound)
      config.pointee.options.crop_width = Int32(clamping: geometry.columns.count)
      config.pointee.options.crop_height = Int32(clamping: geometry.rows.count)
    }
    if geometry.isScaled {
      config.pointee.options.use_scaling = 1
      config.pointee.options.scaled_width = Int32(clamping: geometry.scaled.width)
      config.pointee.options.scaled_height = Int32(clamping: geometry.scaled.height)
    }
    guard let decoder = WebPIDecode(nil, 0, config) else { throw Self.outOfMemory }
    defer {
      WebPIDelete(decoder)
      WebPFreeDecBuffer(&config.pointee.output)
    }
    do {
      try feed(decoder, checkpoint: checkpoint)
      return nil
    } catch let error as PipelineError
      where onDamage == .salvage && (error.code == .truncated || error.code == .corrupt)
    {
      var rows: Int32 = 0
      guard WebPIDecodedArea(decoder, nil, nil, nil, &rows) != nil, rows > 0 else { throw error }
      return error
    }
  }

  private func feed(_ decoder: OpaquePointer, checkpoint: DecodeCheckpoint) throws {
    guard let base = frame.data.baseAddress else { throw Self.truncated }
    var given = 0
    while true {
      given = min(given + sliceBytes, frame.data.count)
      switch WebPIUpdate(decoder, base, given) {
      case VP8_STATUS_OK: return
      case VP8_STATUS_SUSPENDED where given < frame.data.count: try checkpoint()
      case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: throw Self.truncated
      case VP8_STATUS_OUT_OF_MEMORY: throw Self.outOfMemory
      case VP8_STATUS_UNSUPPORTED_FEATURE:
        throw PipelineError(.decode, .unsupportedFeature, "the WebP uses something that libwebp does not know")
      default: throw PipelineError(.decode, .corrupt, "the WebP's pixel data is damaged")
      }
    }
  }

  /// So much data that it takes a few milliseconds: about a million pixels' share, and no more than 256 KiB. (Of a
  /// lossless picture some rows are decoded again after each slice: at 64 KiB that is an eighth of all time.)
  private var sliceBytes: Int {
    let pixels = max(frame.size.width * frame.size.height, 1)
    return min(max(frame.data.count / (pixels / 1_000_000 + 1), 16), 1 << 18)
  }

  private static let truncated = PipelineError(.decode, .truncated, "the WebP ends before its pixels do")
  private static let outOfMemory = PipelineError(.decode, .outOfBudget, "the system has no memory to decode a WebP")
}
