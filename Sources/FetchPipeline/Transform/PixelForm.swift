/// What a stage can work on: the converter brings a picture into the form, and does nothing where it is in it already.
public struct PixelForm: Sendable, Hashable {
  /// The layouts, best first.
  public var layouts: [PixelLayout]
  /// The sample sizes.
  public var depths: Set<SampleDepth>
  /// The factors between luma and chroma of a `yCbCr` picture; nil for any.
  public var chroma: ChromaSubsampling?
  /// The excursions of `yCbCr` samples.
  public var ranges: Set<SampleRange>
  /// Whether colours may refer to any profile; else they have to be those of sRGB.
  public var takesAnyProfile: Bool
  /// Whether samples must be the picture to the letter: upright, and without a part that does not belong to it.
  public var isLiteral: Bool
  /// Whether alpha may be there, and how; `opaque` alone means that transparency is laid over a background.
  public var alpha: Set<AlphaState>

  /// A form; by default one that takes anything in sRGB but YCbCr of limited range.
  public init(
    layouts: [PixelLayout] = PixelLayout.allCases, depths: Set<SampleDepth> = Set(SampleDepth.allCases),
    chroma: ChromaSubsampling? = nil, isLiteral: Bool = false,
    alpha: Set<AlphaState> = [.opaque, .straight, .premultiplied], ranges: Set<SampleRange> = [.full],
    takesAnyProfile: Bool = false
  ) {
    self.layouts = layouts
    self.depths = depths
    self.chroma = chroma
    self.isLiteral = isLiteral
    self.alpha = alpha
    self.ranges = ranges
    self.takesAnyProfile = takesAnyProfile
  }
}

/// By how much chroma planes are smaller than the luma plane, rounded up.
public struct ChromaSubsampling: Sendable, Hashable {
  /// Luma columns to a chroma column.
  public var horizontal: Int
  /// Luma rows to a chroma row.
  public var vertical: Int

  /// Factors of at least 1.
  public init(horizontal: Int, vertical: Int) {
    self.horizontal = max(horizontal, 1)
    self.vertical = max(vertical, 1)
  }

  /// 4:4:4.
  public static let none = ChromaSubsampling(horizontal: 1, vertical: 1)
  /// 4:2:0.
  public static let half = ChromaSubsampling(horizontal: 2, vertical: 2)

  /// The samples of a chroma plane beside a luma plane of `size`.
  public func planeSize(for size: PixelSize) -> PixelSize {
    PixelSize(
      width: (size.width + horizontal - 1) / horizontal, height: (size.height + vertical - 1) / vertical)
  }
}
