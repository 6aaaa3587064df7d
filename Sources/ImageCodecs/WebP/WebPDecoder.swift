import FetchPipeline

/// Decodes WebP through libwebp: lossy pictures as YCbCr planes, scaled while they are decoded.
public struct WebPDecoder: ImageDecoder {
  /// A decoder with the defaults.
  public init() {}

  public var format: ImageFormat { .webp }

  /// The RIFF header (RFC 9649, section 2.4).
  public func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes {
      $0.count >= 12 && $0[0..<4].elementsEqual("RIFF".utf8) && $0[8..<12].elementsEqual("WEBP".utf8)
    }
  }

  public func makeSession() -> any ImageDecoderSession { WebPDecoderSession() }
}

extension WebPDecoder: Stage {
  public typealias Slot = DecodeSlot
  public static let name = "webp"
  public static let summary = "decodes WebP, lossy pictures planar and scaled (libwebp)"
  public static let options: [OptionDeclaration<WebPDecoder>] = []
  public func make(in context: StageContext) -> any ImageDecoder { self }
}
