import FetchPipeline

/// Encodes PNG where a pixel of the result is transparent, JPEG everywhere else.
public struct AutoEncoder: ImageEncoder {
  /// What opaque pictures become.
  public var jpeg = JPEGEncoder()
  /// What transparent ones become.
  public var png = PNGEncoder()

  /// An encoder with the defaults.
  public init() {}

  public func choice(for image: PixelImage) -> any ImageEncoder {
    image.hasTransparentPixels ? png : jpeg
  }

  public func format(mayBeTransparent: Bool) -> ImageFormat? { mayBeTransparent ? nil : .jpeg }

  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    mayBeTransparent ? png.acceptedForm(mayBeTransparent: true) : jpeg.acceptedForm(mayBeTransparent: false)
  }

  public var background: Color { jpeg.background }

  public func fingerprint(into print: inout Fingerprint) {
    jpeg.fingerprint(into: &print)
    png.fingerprint(into: &print)
  }

  /// Never asked for: every picture is encoded by its `choice`.
  public func makeSession() -> any ImageEncoderSession { jpeg.makeSession() }
}

extension AutoEncoder: Stage {
  public typealias Slot = EncodeSlot
  public static let name = "auto"
  public static let summary = "encodes PNG where a pixel is transparent, else JPEG"

  public static let options: [OptionDeclaration<AutoEncoder>] = [
    .init("quality", \.jpeg.quality, in: 1...100, "the quality of a JPEG"),
    .init("progressive", \.jpeg.isProgressive, "whether a JPEG shows its whole picture early"),
    .init("subsampling", \.jpeg.subsampling, "the density of a JPEG's colour: half in both directions, or full"),
    .init("background", \.jpeg.background, "what a JPEG's transparency is laid over"),
    .init("compression", \.png.compression, in: 0...9, "how hard to compress a PNG: 0 not at all, 9 slowest"),
  ]

  public func make(in context: StageContext) -> any ImageEncoder { self }
}
