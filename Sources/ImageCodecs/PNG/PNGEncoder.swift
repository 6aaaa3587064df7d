import CImageCodecs
import FetchPipeline

/// Encodes PNG through libpng, 8 bits a sample.
public struct PNGEncoder: ImageEncoder {
  /// zlib's level, 0…9.
  public var compression = 6

  /// An encoder with the defaults.
  public init() {}

  public func format(mayBeTransparent: Bool) -> ImageFormat? { .png }

  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    PixelForm(
      layouts: mayBeTransparent ? [.rgba, .grayAlpha, .rgb, .gray] : [.rgb, .gray], depths: [.eight], isLiteral: true,
      alpha: [.opaque, .straight])
  }

  public func fingerprint(into print: inout Fingerprint) {
    print.add("compression", compression)
  }

  public func makeSession() -> any ImageEncoderSession { PNGEncoderSession(self) }
}

extension PNGEncoder: Stage {
  public typealias Slot = EncodeSlot
  public static let name = "png"
  public static let summary = "encodes PNG"

  public static let options: [OptionDeclaration<PNGEncoder>] = [
    .init("compression", \.compression, in: 0...9, "how hard to compress: 0 not at all, 9 slowest")
  ]

  public func make(in context: StageContext) -> any ImageEncoder { self }
}

private final class PNGEncoderSession: ImageEncoderSession {
  private let options: PNGEncoder

  init(_ options: PNGEncoder) {
    self.options = options
  }

  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    try checkpoint()
    var settings = fp_png_options(
      width: Int32(image.size.width), height: Int32(image.size.height), channels: Int32(image.layout.channels),
      compression: Int32(options.compression))
    var output: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = image.withUnsafeBytes(ofPlane: 0) { bytes -> fp_png_status in
      guard let base = bytes.baseAddress else { return FP_PNG_NO_MEMORY }
      return fp_png_write(
        &settings, base.assumingMemoryBound(to: UInt8.self), image.planes[0].bytesPerRow, &output, &count)
    }
    let bytes = output.map { SharedBytes(adoptingAllocation: $0, count: count) }
    guard status == FP_PNG_OK, let bytes else {
      throw PipelineError(
        .encode, status == FP_PNG_NO_MEMORY ? .outOfBudget : .encode, "the PNG cannot be encoded")
    }
    return bytes
  }
}
