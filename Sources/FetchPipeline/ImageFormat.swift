/// A picture format, by its lower-case name: `jpeg`, `png`, `webp`, or what a plugin brings.
public struct ImageFormat: RawRepresentable, Hashable, Sendable {
  /// The name, as in reports and configurations.
  public let rawValue: String

  /// The format of that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// JPEG (ITU-T T.81).
  public static let jpeg = ImageFormat(rawValue: "jpeg")
  /// PNG (ISO/IEC 15948).
  public static let png = ImageFormat(rawValue: "png")
  /// WebP (RFC 9649).
  public static let webp = ImageFormat(rawValue: "webp")

  /// The usual file name extension, without a dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The media type, as in `Content-Type`: `image/jpeg`.
  public var mediaType: String { "image/\(rawValue)" }
}

extension ImageFormat: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
