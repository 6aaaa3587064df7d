import CWebP
import FetchPipeline

/// Encodes WebPs on one thread, one after the other.
final class WebPEncoderSession: ImageEncoderSession {
  private let options: WebPEncoder

  init(_ options: WebPEncoder) {
    self.options = options
  }

  /// The longest side of a WebP (RFC 9649, section 2.5: 14 bits).
  private static let longestSide = 16_383

  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    guard image.size.width <= Self.longestSide, image.size.height <= Self.longestSide else {
      throw PipelineError(
        .encode, .encode, "\(image.size) is larger than a WebP can be (\(Self.longestSide) pixels a side)")
    }
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else { throw Self.wrongVersion }
    config.quality = Float(options.quality)
    config.method = Int32(clamping: options.effort)
    if options.isLossless {
      config.lossless = 1
      // In this mode a measure of effort, not of quality.
      config.quality = 75
    }
    try checkpoint()
    let picture = try WebPPictureOwner(image.size, checkpoint: checkpoint)
    return try picture.encode(image, config: &config)
  }

  fileprivate static let wrongVersion = PipelineError(
    .encode, .encode, "libwebp is of another version than it was compiled against")
}

/// The owner of what libwebp allocates for one picture.
private final class WebPPictureOwner {
  private let picture: UnsafeMutablePointer<WebPPicture>
  private let writer: UnsafeMutablePointer<WebPMemoryWriter>
  private let checkpoint: DecodeCheckpoint
  /// What the checkpoint threw, until libwebp has returned.
  private var interruption: (any Error)?

  init(_ size: PixelSize, checkpoint: DecodeCheckpoint) throws {
    self.checkpoint = checkpoint
    picture = .allocate(capacity: 1)
    writer = .allocate(capacity: 1)
    WebPMemoryWriterInit(writer)
    guard WebPPictureInit(picture) != 0 else {
      // Nothing in it may be freed then.
      picture.initialize(to: WebPPicture())
      throw WebPEncoderSession.wrongVersion
    }
    picture.pointee.width = Int32(clamping: size.width)
    picture.pointee.height = Int32(clamping: size.height)
    picture.pointee.writer = WebPMemoryWrite
    picture.pointee.custom_ptr = UnsafeMutableRawPointer(writer)
  }

  deinit {
    WebPPictureFree(picture)
    WebPMemoryWriterClear(writer)
    picture.deallocate()
    writer.deallocate()
  }

  func encode(_ image: PixelImage, config: inout WebPConfig) throws -> SharedBytes {
    picture.pointee.use_argb = config.lossless
    picture.pointee.user_data = Unmanaged.passUnretained(self).toOpaque()
    picture.pointee.progress_hook = { _, picture in
      guard let context = picture?.pointee.user_data else { return 1 }
      return Unmanaged<WebPPictureOwner>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 1 : 0
    }
    // Planes are lent for the call, pixels copied.
    try image.withUnsafeBytes(ofPlane: 0) { bytes throws in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { throw Self.outOfMemory }
      try fill(from: image, base)
      guard WebPEncode(&config, picture) != 0 else { throw error }
    }
    guard let memory = writer.pointee.mem else { throw Self.outOfMemory }
    let count = writer.pointee.size
    // The bytes belong to the result from here on.
    writer.pointee.mem = nil
    return SharedBytes(adopting: memory, count: count) { WebPFree(UnsafeMutableRawPointer(mutating: $0)) }
  }

  private func fill(from image: PixelImage, _ base: UnsafePointer<UInt8>) throws {
    let planes = image.planes
    guard image.isLiteral, image.depth == .eight else { throw Self.wrongForm(image) }
    let stride = Int32(clamping: planes[0].bytesPerRow)
    var isFilled: Int32 = 0
    switch image.layout {
    case .yCbCr where picture.pointee.use_argb == 0 && image.range == .limited:
      let chroma = ChromaSubsampling.half.planeSize(for: image.size)
      guard planes[1].size == chroma, planes[2].size == chroma, planes[1].bytesPerRow == planes[2].bytesPerRow else {
        throw Self.wrongForm(image)
      }
      picture.pointee.colorspace = WEBP_YUV420
      // libwebp takes pointers to what it may write, and only reads.
      func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutablePointer(mutating: base + (planes[index].offset - planes[0].offset))
      }
      picture.pointee.y = plane(0)
      picture.pointee.u = plane(1)
      picture.pointee.v = plane(2)
      picture.pointee.y_stride = stride
      picture.pointee.uv_stride = Int32(clamping: planes[1].bytesPerRow)
      isFilled = 1
    case .rgb: isFilled = WebPPictureImportRGB(picture, base, stride)
    case .rgba where image.alpha == .opaque: isFilled = WebPPictureImportRGBX(picture, base, stride)
    case .rgba where image.alpha == .straight: isFilled = WebPPictureImportRGBA(picture, base, stride)
    default: throw Self.wrongForm(image)
    }
    guard isFilled != 0 else { throw Self.outOfMemory }
  }

  private func mayGoOn() -> Bool {
    do {
      try checkpoint()
      return true
    } catch {
      interruption = error
      return false
    }
  }

  private var error: any Error {
    if let interruption { return interruption }
    let code = picture.pointee.error_code
    if code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY { return Self.outOfMemory }
    return PipelineError(.encode, .encode, "libwebp cannot encode this picture (its error \(code.rawValue))")
  }

  private static func wrongForm(_ image: PixelImage) -> PipelineError {
    PipelineError(.encode, .encode, "\(image.layout.rawValue) pixels in this form are not what a WebP holds")
  }

  static let outOfMemory = PipelineError(.encode, .outOfBudget, "the system has no memory to encode a WebP")
}
