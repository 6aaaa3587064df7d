import FetchPipeline

/// Encodes PNG where a pixel of the result is transparent, else JPEG.
public struct AutoEncoder: ImageEncoder {
  /// What opaque pictures become.
  public var jpeg = JPEGEncoder()
  /// What others become.
  public var png = PNGEncoder()

  /// An encoder with the defaults.
  public init() {}

  /// The encoder of the format that the pixels of `image` call for. Looks at every pixel of pictures with alpha.
  public func choice(for image: PixelImage) -> any ImageEncoder {
    image.alpha != .opaque && image.hasTransparentPixels ? png : jpeg
  }

  /// JPEG where nothing can be transparent; else only the pixels tell.
  public func format(mayBeTransparent: Bool) -> ImageFormat? { mayBeTransparent ? nil : .jpeg }

  /// The form of the encoder that is foreseen: one that keeps transparency for what may be transparent.
  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    mayBeTransparent
      ? png.acceptedForm(mayBeTransparent: true) : jpeg.acceptedForm(mayBeTransparent: false)
  }

  /// What the JPEG encoder lays transparency over. A chosen JPEG has none.
  public var background: Color { jpeg.background }

  /// Adds the options of both.
  public func fingerprint(into print: inout Fingerprint) {
    jpeg.fingerprint(into: &print)
    png.fingerprint(into: &print)
  }

  /// An encoder for one thread, of either format by the pixels.
  public func makeSession() -> any ImageEncoderSession { AutoEncoderSession(self) }
}

extension AutoEncoder: Stage {
  /// Where the stage stands.
  public typealias Slot = EncodeSlot
  /// What a configuration calls it.
  public static let name = "auto"
  /// What it does.
  public static let summary = "encodes PNG where a pixel is transparent, else JPEG"

  /// The options of both formats.
  public static let options: [OptionDeclaration<AutoEncoder>] = [
    .init("quality", \.jpeg.quality, in: 1...100, "the quality of a JPEG"),
    .init("progressive", \.jpeg.isProgressive, "whether a JPEG shows its whole picture early"),
    .init("subsampling", \.jpeg.subsampling, "the density of a JPEG's colour: half in both directions, or full"),
    .init("background", \.jpeg.background, "what transparency is laid over where a JPEG is made of it"),
    .init("compression", \.png.compression, in: 0...9, "how hard to compress a PNG: 0 not at all, 9 most"),
  ]

  /// Itself.
  public func make(in context: StageContext) -> any ImageEncoder { self }
}

/// Encodes on one thread, one picture after the other, each by its pixels.
private final class AutoEncoderSession: ImageEncoderSession {
  private let options: AutoEncoder
  private lazy var jpeg = options.jpeg.makeSession()
  private lazy var png = options.png.makeSession()

  init(_ options: AutoEncoder) {
    self.options = options
  }

  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    if image.alpha != .opaque, image.hasTransparentPixels { return try png.encode(image, checkpoint: checkpoint) }
    return try jpeg.encode(image.layout.hasAlpha ? image.withoutAlphaChannel() : image, checkpoint: checkpoint)
  }
}

extension PixelImage {
  /// An opaque, literal picture of 8 bits without its alpha channel.
  fileprivate func withoutAlphaChannel() throws -> PixelImage {
    var result = try PixelImage(layout: layout == .rgba ? .rgb : .gray, size: size, profile: profile)
    let (channels, colors) = (layout.channels, layout.channels - 1)
    let (source, target) = (planes[0], result.planes[0])
    try withUnsafeBytes(ofPlane: 0) { pixels throws in
      try result.withUnsafeMutableBytes(ofPlane: 0) { samples in
        for row in 0..<target.size.height {
          for column in 0..<target.size.width {
            for channel in 0..<colors {
              samples[row * target.bytesPerRow + column * colors + channel] =
                pixels[row * source.bytesPerRow + column * channels + channel]
            }
          }
        }
      }
    }
    return result
  }
}
