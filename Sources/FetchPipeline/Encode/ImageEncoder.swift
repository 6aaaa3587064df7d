/// Turns pixels into the bytes of a file: a factory of sessions.
public protocol ImageEncoder: Sendable {
  /// The encoder that serves a picture: itself, unless it is one that chooses by what the picture turned out to be.
  func choice(for image: PixelImage) throws -> any ImageEncoder

  /// The format that a picture becomes which can, or cannot, have transparent pixels; nil where only the pixels tell.
  func format(mayBeTransparent: Bool) -> ImageFormat?

  /// What pictures can be encoded; of those that may be transparent, or of others.
  func acceptedForm(mayBeTransparent: Bool) -> PixelForm

  /// What transparency is laid over where the format has none.
  var background: Color { get }

  /// Adds everything that changes bytes, as for a transform; by default, for a `Stage`, all that the value stores.
  func fingerprint(into print: inout Fingerprint)

  /// A session for one worker thread, which reuses it for picture after picture.
  func makeSession() -> any ImageEncoderSession
}

extension ImageEncoder {
  /// Itself.
  public func choice(for image: PixelImage) -> any ImageEncoder { self }
  /// White.
  public var background: Color { .white }
}

extension ImageEncoder where Self: Stage {
  /// Adds all that the value stores, options or not.
  public func fingerprint(into print: inout Fingerprint) { print.addContent(Self.name, self) }
}

/// A worker's own encoder with its reusable state. Synchronous: the engine owns the threads.
public protocol ImageEncoderSession: AnyObject {
  /// The bytes of a file. The picture is in the form that the encoder accepts. The same picture and options always give
  /// the same bytes.
  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes
}
