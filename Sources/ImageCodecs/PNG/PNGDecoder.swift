import FetchPipeline

/// Decodes PNG through libpng, all colour types and depths; large pictures are reduced while their rows are read.
public struct PNGDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  public var format: ImageFormat { .png }

  /// The signature (PNG, 5.2).
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { $0.starts(with: PNGChunks.signature) }
  }

  public func makeSession() -> any ImageDecoderSession { PNGDecoderSession() }
}

extension PNGDecoder: Stage {
  public typealias Slot = DecodeSlot
  public static let name = "png"
  public static let summary = "decodes PNG, reducing large pictures as they are read (libpng)"
  public static let options: [OptionDeclaration<PNGDecoder>] = []
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
