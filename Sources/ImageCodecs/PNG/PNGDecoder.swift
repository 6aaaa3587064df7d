import FetchPipeline

/// Decodes PNG through libpng: every colour type and depth, expanded to whole samples, and averaged on the way where less
/// than half of the size is wanted.
public struct PNGDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  public var format: ImageFormat { .png }

  /// The signature (PNG, third edition, 5.2).
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { $0.starts(with: PNGContainer.signature) }
  }

  public func makeSession() -> any ImageDecoderSession { PNGDecoderSession() }
}

extension PNGDecoder: Stage {
  public typealias Slot = DecodeSlot
  public static let name = "png"
  public static let summary = "decodes PNG, averaging pixels while it reads them (libpng)"
  public static let options: [OptionDeclaration<PNGDecoder>] = []
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
