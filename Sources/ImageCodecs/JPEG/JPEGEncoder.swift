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

  /// An encoder of that quality.
  public init(
    quality: Int, isProgressive: Bool = false, subsampling: JPEGSubsampling = .half, background: Color = .white
  ) {
    self.quality = quality
    self.isProgressive = isProgressive
    self.subsampling = subsampling
    self.background = background
  }

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
