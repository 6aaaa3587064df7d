/// What a picture's headers say, known before any pixel is decoded.
public struct ImageProbe: Sendable {
  /// The format.
  public var format: ImageFormat
  /// The size of the stored pixels.
  public var storedSize: PixelSize
  /// What is to be done to show them upright.
  public var orientation: Orientation
  /// The layout nearest to what is stored.
  public var layout: PixelLayout
  /// The size of a stored sample; 16 for anything above 8 bits.
  public var depth: SampleDepth
  /// Whether pixels may be transparent.
  public var hasAlpha: Bool
  /// The pictures in the container, as far as the headers say.
  public var frames: Int
  /// What was noticed already.
  public var flags: Set<ResultFlag>

  /// A probe.
  public init(
    format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .up, layout: PixelLayout,
    depth: SampleDepth = .eight, hasAlpha: Bool? = nil, frames: Int = 1, flags: Set<ResultFlag> = []
  ) {
    self.format = format
    self.storedSize = storedSize
    self.orientation = orientation
    self.layout = layout
    self.depth = depth
    self.hasAlpha = hasAlpha ?? layout.hasAlpha
    self.frames = frames
    self.flags = flags
  }

  /// The size as displayed.
  public var size: PixelSize { orientation.applied(to: storedSize) }
}
