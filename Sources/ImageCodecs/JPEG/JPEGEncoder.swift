import CImageCodecs
import FetchPipeline

/// Encodes JPEG through libjpeg-turbo, from YCbCr planes as they are, without a detour through RGB.
public struct JPEGEncoder: ImageEncoder {
  /// The quality, 1…100, of the tables of T.81, annex K, as libjpeg scales them.
  public var quality = 80
  /// Whether the file shows its whole picture early, and is a little smaller.
  public var isProgressive = false
  /// The density of colour.
  public var subsampling = JPEGSubsampling.half
  /// What transparency is laid over.
  public var background = Color.white

  /// An encoder with the defaults.
  public init() {}

  /// What is made.
  public func format(mayBeTransparent: Bool) -> ImageFormat? { .jpeg }

  /// What can be encoded.
  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    PixelForm(
      layouts: [.yCbCr, .gray, .rgb], depths: [.eight], chroma: subsampling.factors, isLiteral: true, alpha: [.opaque],
      ranges: [.full])
  }

  /// Adds every option that changes the result.
  public func fingerprint(into print: inout Fingerprint) {
    print.add("quality", quality)
    print.add("progressive", isProgressive)
    print.add("subsampling", subsampling.rawValue)
    print.add("background", background.description)
  }

  /// A session for one thread.
  public func makeSession() -> any ImageEncoderSession { JPEGEncoderSession(self) }
}

/// By how much the colour of a JPEG is less dense than its luma.
public enum JPEGSubsampling: String, Sendable, CaseIterable, ConfigurationValue {
  /// Half, in both directions.
  case half = "4:2:0"
  /// Not at all.
  case none = "4:4:4"

  /// The factors between luma and chroma.
  public var factors: ChromaSubsampling { self == .half ? .half : .none }
}

extension JPEGEncoder: Stage {
  /// It is a stage of that slot.
  public typealias Slot = EncodeSlot
  /// What configurations call it.
  public static let name = "jpeg"
  /// What it does.
  public static let summary = "encodes JPEG"

  /// Its options.
  public static let options: [OptionDeclaration<JPEGEncoder>] = [
    .init("quality", \.quality, in: 1...100, "the quality"),
    .init("progressive", \.isProgressive, "whether the file shows its whole picture early"),
    .init("subsampling", \.subsampling, "the density of colour: half in both directions, or full"),
    .init("background", \.background, "what transparency is laid over"),
  ]

  /// The stage itself.
  public func make(in context: StageContext) -> any ImageEncoder { self }
}

/// Encodes JPEGs on one thread, one after the other.
private final class JPEGEncoderSession: ImageEncoderSession {
  private let options: JPEGEncoder
  private var encoder: OpaquePointer?

  init(_ options: JPEGEncoder) {
    self.options = options
  }

  deinit {
    fp_jpeg_encoder_destroy(encoder)
  }

  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    if encoder == nil { encoder = fp_jpeg_encoder_create() }
    guard let encoder else { throw PipelineError(.encode, .outOfBudget, "the system has no memory for a JPEG encoder") }
    guard image.size.width <= 65_500, image.size.height <= 65_500 else {
      throw PipelineError(.encode, .encode, "\(image.size) is larger than a JPEG can be")
    }
    try checkpoint()
    let factors = options.subsampling.factors
    var settings = fp_jpeg_options(
      width: Int32(image.size.width), height: Int32(image.size.height), quality: Int32(options.quality),
      is_progressive: options.isProgressive, components: image.layout == .gray ? 1 : 3,
      horizontal: Int32(factors.horizontal), vertical: Int32(factors.vertical))
    var output: UnsafeMutablePointer<UInt8>?
    var count = 0
    let planes = image.planes
    let status = image.withUnsafeBytes(ofPlane: 0) { first -> fp_jpeg_status in
      guard let base = first.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return FP_JPEG_NO_MEMORY }
      if image.layout == .rgb {
        return fp_jpeg_encoder_write_pixels(encoder, &settings, base, planes[0].bytesPerRow, &output, &count)
      }
      return fp_jpeg_encoder_write_planes(
        encoder, &settings, planes.map { Optional(base + ($0.offset - planes[0].offset)) }, planes.map(\.bytesPerRow),
        planes.map { Int32($0.size.width) }, planes.map { Int32($0.size.height) }, &output, &count)
    }
    guard status == FP_JPEG_OK, let output else {
      if status == FP_JPEG_NO_MEMORY { throw PipelineError(.encode, .outOfBudget, "no memory for a JPEG") }
      throw PipelineError(.encode, .encode, "the JPEG cannot be encoded")
    }
    return SharedBytes(adoptingAllocation: output, count: count)
  }
}
