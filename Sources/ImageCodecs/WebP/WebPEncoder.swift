import CWebP
import FetchPipeline

/// Encodes WebP through libwebp: lossy from YCbCr planes as they are, or lossless, with alpha where the picture has it, and
/// nothing but pixels.
public struct WebPEncoder: ImageEncoder {
  /// The quality of lossy pictures, 0…100.
  public var quality = 80
  /// Whether every pixel is kept as it is.
  public var isLossless = false
  /// How hard the encoder tries, 0…6.
  public var effort = 4

  /// An encoder with the defaults.
  public init() {}

  /// An encoder of that quality.
  public init(quality: Int, isLossless: Bool = false, effort: Int = 4) {
    self.quality = quality
    self.isLossless = isLossless
    self.effort = effort
  }

  /// WebP, always.
  public func format(mayBeTransparent: Bool) -> ImageFormat? { .webp }

  /// Upright pixels of 8 bits: YCbCr 4:2:0 of limited range, which is what is stored, or RGB.
  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    PixelForm(
      layouts: isLossless ? [.rgb, .rgba] : [.yCbCr, .rgb, .rgba], depths: [.eight], chroma: .half, isLiteral: true,
      alpha: [.opaque, .straight], ranges: [.limited])
  }

  /// Adds all options.
  public func fingerprint(into print: inout Fingerprint) {
    print.add("quality", quality)
    print.add("lossless", isLossless)
    print.add("effort", effort)
  }

  /// An encoder for one thread.
  public func makeSession() -> any ImageEncoderSession { WebPEncoderSession(self) }
}

extension WebPEncoder: Stage {
  /// Where the stage stands.
  public typealias Slot = EncodeSlot
  /// What a configuration calls it.
  public static let name = "webp"
  /// What it does.
  public static let summary = "encodes WebP"

  /// The options.
  public static let options: [OptionDeclaration<WebPEncoder>] = [
    .init("quality", \.quality, in: 0...100, "the quality of lossy pictures"),
    .init("lossless", \.isLossless, "whether every pixel is kept as it is"),
    .init("effort", \.effort, in: 0...6, "how hard to try for small files: 0 is fast, 6 slow"),
  ]

  /// Itself.
  public func make(in context: StageContext) -> any ImageEncoder { self }
}
