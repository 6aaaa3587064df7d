/// Turns the bytes of one format into pixels: a factory of sessions.
///
/// Decoders are asked in the registry's order. One that cannot serve a picture says `DecoderDeclined`, at any time before
/// it has handed over its result, and the next is asked: a fast decoder may serve the common case and leave the rest.
public protocol ImageDecoder: Sendable {
  /// The format that is decoded.
  var format: ImageFormat { get }

  /// Whether the first bytes (up to 64 of them) are of the format.
  func matches(_ prefix: SharedBytes) -> Bool

  /// A session for one worker thread, which reuses it for picture after picture.
  func makeSession() -> any ImageDecoderSession
}

/// A worker's own decoder with its reusable state. Synchronous: the engine owns the threads.
public protocol ImageDecoderSession: AnyObject {
  /// Reads the headers, and refuses what breaks the limits.
  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe

  /// The most memory in bytes that a decode takes, its result included.
  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int

  /// Decodes. Calls `checkpoint` at least every few milliseconds, and stops if it throws.
  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage
}

/// A decoded picture and what was noticed on the way.
public struct DecodedImage: Sendable {
  /// The picture.
  public var image: PixelImage
  /// What was noticed.
  public var flags: Set<ResultFlag>
  /// Why pixels are missing or broken, `truncated` or `corrupt`, where the plan has it that what is left is kept; nil where
  /// none are. It becomes the flag `damaged`.
  public var damage: PipelineError?

  /// A decoded picture.
  public init(_ image: PixelImage, flags: Set<ResultFlag> = [], damage: PipelineError? = nil) {
    self.image = image
    self.flags = flags
    self.damage = damage
  }
}

/// A decoder's refusal to serve a picture, which the next one may.
public struct DecoderDeclined: Error, Sendable {
  /// Why, for logs.
  public let reason: String

  /// A refusal.
  public init(_ reason: String) {
    self.reason = reason
  }
}
