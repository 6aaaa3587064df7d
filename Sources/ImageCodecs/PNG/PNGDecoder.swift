import FetchPipeline

/// Decodes PNG: every colour type and depth, expanded to whole samples, and averaged on the way where less than half of the
/// size is wanted.
///
/// The pixels of regular files are inflated at once and come through a decoder of this package, all others through libpng.
public struct PNGDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  /// PNG.
  public var format: ImageFormat { .png }

  /// The signature (PNG, third edition, 5.2).
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { $0.starts(with: PNGContainer.signature) }
  }

  /// A decoder for one thread.
  public func makeSession() -> any ImageDecoderSession { PNGDecoderSession() }
}

extension PNGDecoder: Stage {
  /// Where the stage stands.
  public typealias Slot = DecodeSlot
  /// What a configuration calls it.
  public static let name = "png"
  /// What it does.
  public static let summary = "decodes PNG, averaging pixels while it reads them (libdeflate, libpng)"
  /// None but those of every decoder.
  public static let options: [OptionDeclaration<PNGDecoder>] = []
  /// Itself.
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
