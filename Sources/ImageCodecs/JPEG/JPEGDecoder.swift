import CImageCodecs
import FetchPipeline

/// Decodes JPEG: components as they are stored, at an eighth, a quarter, a half or all of their size.
///
/// Regular baseline files come through a decoder of this package where they are made smaller, all others through
/// libjpeg-turbo.
public struct JPEGDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  /// What is decoded.
  public var format: ImageFormat { .jpeg }

  /// The marker SOI and the first byte of the next one (ITU-T T.81, table B.1).
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { $0.count >= 3 && $0[0] == 0xff && $0[1] == 0xd8 && $0[2] == 0xff }
  }

  /// A session for one thread.
  public func makeSession() -> any ImageDecoderSession { JPEGDecoderSession() }
}

extension JPEGDecoder: Stage {
  /// It is a stage of that slot.
  public typealias Slot = DecodeSlot
  /// What configurations call it.
  public static let name = "jpeg"
  /// What it does.
  public static let summary = "decodes JPEG, planar and scaled (libjpeg-turbo)"
  /// Its options.
  public static let options: [OptionDeclaration<JPEGDecoder>] = []
  /// The stage itself.
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
