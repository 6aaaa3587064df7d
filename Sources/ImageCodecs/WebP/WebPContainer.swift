import CWebP
import FetchPipeline

/// What a WebP file holds, as far as its bytes go: the owner of a walk along its chunks (RFC 9649), whose bytes outlive it.
final class WebPContainer {
  /// The size of the canvas.
  let size: PixelSize
  /// The first frame; the only one of a picture that does not move.
  let frame: Frame
  /// The frames that were found.
  let frameCount: Int
  /// Whether all chunks are there.
  let isWhole: Bool
  private let demuxer: OpaquePointer

  /// One coded picture and its place on the canvas.
  struct Frame {
    /// Coded data: VP8L, or VP8 with ALPH before it where there is one.
    let data: UnsafeBufferPointer<UInt8>
    let size: PixelSize
    let left: Int
    let top: Int
    let isLossless: Bool
    /// Whether its own pixels may be transparent.
    let hasAlpha: Bool
  }

  /// Walks over `bytes`.
  ///
  /// - Throws: `truncated` where they end before the first frame's header, `corrupt` where they are none of WebP's.
  init(_ bytes: UnsafeRawBufferPointer) throws {
    // The header (2.4); shorter files are an error of another kind to the library.
    guard bytes.count >= 12 else { throw Self.truncatedHeader }
    var data = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
    var state = WEBP_DEMUX_PARSE_ERROR
    guard let demuxer = WebPDemuxPartial(&data, &state) else {
      if state == WEBP_DEMUX_PARSE_ERROR {
        throw PipelineError(.decode, .corrupt, "the WebP's chunks break the rules")
      }
      throw Self.truncatedHeader
    }
    guard state != WEBP_DEMUX_PARSING_HEADER, let frame = Self.firstFrame(of: demuxer) else {
      WebPDemuxDelete(demuxer)
      throw Self.truncatedHeader
    }
    self.demuxer = demuxer
    self.frame = frame
    isWhole = state == WEBP_DEMUX_DONE
    size = PixelSize(
      width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
      height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT)))
    frameCount = max(Int(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)), 1)
  }

  deinit {
    WebPDemuxDelete(demuxer)
  }

  /// Whether the frame is all of the canvas.
  var isFrameWhole: Bool { frame.size == size }

  /// Whether pixels may be transparent: those of the frame, or those beside it.
  var hasAlpha: Bool { frame.hasAlpha || !isFrameWhole }

  /// What EXIF says of the orientation.
  var orientation: Orientation {
    withChunk("EXIF") { chunk in
      // Some writers leave JPEG's identifier before the TIFF block.
      let identifier: [UInt8] = Array("Exif".utf8) + [0, 0]
      let block = chunk.starts(with: identifier) ? UnsafeRawBufferPointer(rebasing: chunk[6...]) : chunk
      return EXIF.orientation(of: block)
    } ?? .up
  }

  /// The embedded profile, in a copy.
  var profile: SharedBytes? {
    withChunk("ICCP") { $0.isEmpty ? nil : SharedBytes($0) }
  }

  private func withChunk<Result>(_ name: String, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    var iterator = WebPChunkIterator()
    guard WebPDemuxGetChunk(demuxer, name, 1, &iterator) != 0 else { return nil }
    defer { WebPDemuxReleaseChunkIterator(&iterator) }
    return body(UnsafeRawBufferPointer(start: iterator.chunk.bytes, count: iterator.chunk.size))
  }

  private static func firstFrame(of demuxer: OpaquePointer) -> Frame? {
    var iterator = WebPIterator()
    guard WebPDemuxGetFrame(demuxer, 1, &iterator) != 0 else { return nil }
    defer { WebPDemuxReleaseIterator(&iterator) }
    var features = WebPBitstreamFeatures()
    let data = UnsafeBufferPointer(start: iterator.fragment.bytes, count: iterator.fragment.size)
    guard let base = data.baseAddress, WebPGetFeatures(base, data.count, &features) == VP8_STATUS_OK else { return nil }
    return Frame(
      data: data, size: PixelSize(width: Int(features.width), height: Int(features.height)),
      left: Int(iterator.x_offset), top: Int(iterator.y_offset), isLossless: features.format == 2,
      hasAlpha: features.has_alpha != 0)
  }

  private static let truncatedHeader = PipelineError(.decode, .truncated, "the WebP ends before its first frame")
}
