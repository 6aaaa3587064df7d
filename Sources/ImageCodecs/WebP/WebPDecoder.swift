import FetchPipeline

/// Decodes WebP through libwebp: lossy pictures as the YCbCr that they are stored in, scaled on the way; others as RGB. Of
/// what moves, the first frame on its canvas.
public struct WebPDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  /// WebP.
  public var format: ImageFormat { .webp }

  /// The header of RFC 9649, section 2.4.
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { bytes in
      bytes.count >= 12 && bytes.starts(with: Array("RIFF".utf8)) && bytes[8..<12].elementsEqual("WEBP".utf8)
    }
  }

  /// A decoder for one thread.
  public func makeSession() -> any ImageDecoderSession { WebPDecoderSession() }
}

extension WebPDecoder: Stage {
  /// Where the stage stands.
  public typealias Slot = DecodeSlot
  /// What a configuration calls it.
  public static let name = "webp"
  /// What it does.
  public static let summary = "decodes WebP, planar and scaled (libwebp); of an animation the first frame"
  /// None but those of every decoder.
  public static let options: [OptionDeclaration<WebPDecoder>] = []
  /// Itself.
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
