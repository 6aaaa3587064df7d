/// Where the samples of one plane lie in a picture's storage, and which part of them is the picture.
public struct PixelPlane: Sendable, Hashable {
  /// The samples that are stored: columns (each of `channels` samples) and rows.
  public let size: PixelSize
  /// The samples of a column.
  public let channels: Int
  /// The bytes from one row to the next, a multiple of 64.
  public let bytesPerRow: Int
  /// The first byte of the first row in the storage.
  public let offset: Int
  /// The part of the plane that the picture covers, in samples, in stored orientation.
  ///
  /// Scaled decoders round a plane's size up; the picture ends at the fraction (a 4,001 pixels wide JPEG at 1/8 has 501
  /// columns and a window of 500.125). A crop moves the window and copies nothing.
  public var window: PixelRect

  /// The bytes of all rows.
  public var byteCount: Int { bytesPerRow * size.height }

  /// Whether the window is exactly the stored samples.
  public var isWhole: Bool { window == PixelRect(size) }
}
