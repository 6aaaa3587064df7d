import CWebP
import FetchPipeline

/// What a WebP's container says: features of the picture, number of frames, and metadata (RFC 9649, section 2.7).
struct WebPContainer {
  let size: PixelSize
  let hasAlpha: Bool
  let isAnimated: Bool
  let isLossless: Bool
  private(set) var frames = 1
  private(set) var orientation: Orientation?
  private(set) var profile: ColorProfile?

  init(_ bytes: UnsafeRawBufferPointer) throws {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw PipelineError(.decode, .truncated, "the WebP has no bytes")
    }
    var features = WebPBitstreamFeatures()
    try WebPStatus.check(
      WebPGetFeaturesInternal(base, bytes.count, &features, Int32(WEBP_DECODER_ABI_VERSION)))
    size = PixelSize(width: Int(features.width), height: Int(features.height))
    hasAlpha = features.has_alpha != 0
    isAnimated = features.has_animation != 0
    isLossless = features.format == 2

    var data = WebPData(bytes: base, size: bytes.count)
    var state = WEBP_DEMUX_PARSING_HEADER
    guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION) else { return }
    defer { WebPDemuxDelete(demuxer) }
    frames = max(Int(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)), 1)
    orientation = Self.chunk("EXIF", of: demuxer) { chunk in
      // Some writers keep the prefix that the block has in a JPEG.
      let start = chunk.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
      return EXIF.orientation(of: UnsafeRawBufferPointer(rebasing: chunk[start...]))
    }
    profile = Self.chunk("ICCP", of: demuxer) { .icc(SharedBytes($0)) }
  }

  private static func chunk<Result>(
    _ name: String, of demuxer: OpaquePointer, _ read: (UnsafeRawBufferPointer) -> Result?
  ) -> Result? {
    var iterator = WebPChunkIterator()
    defer { WebPDemuxReleaseChunkIterator(&iterator) }
    guard WebPDemuxGetChunk(demuxer, name, 1, &iterator) != 0 else { return nil }
    return read(UnsafeRawBufferPointer(start: iterator.chunk.bytes, count: iterator.chunk.size))
  }
}

/// libwebp's results as our errors.
enum WebPStatus {
  static func check(_ status: VP8StatusCode) throws {
    switch status {
    case VP8_STATUS_OK: return
    case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA:
      throw PipelineError(.decode, .truncated, "the WebP ends before its picture does")
    case VP8_STATUS_OUT_OF_MEMORY:
      throw PipelineError(.decode, .outOfBudget, "the system has no memory for this WebP")
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      throw PipelineError(.decode, .unsupportedFeature, "a WebP of a kind that libwebp does not decode")
    default:
      throw PipelineError(.decode, .corrupt, "the WebP is damaged")
    }
  }
}
