import FetchPipeline

extension TransformContext {
  /// The chroma subsampling in which new YCbCr samples are made: what the encoder takes, or none where it takes RGB; nil
  /// for any.
  var wantedChroma: ChromaSubsampling? {
    wanted.layouts.contains(.yCbCr) ? wanted.chroma : ChromaSubsampling.none
  }
}

extension PixelForm {
  /// The form of pictures of any kind.
  static let anything = PixelForm(ranges: [.full, .limited], takesAnyProfile: true)

  /// Pictures of any kind, their colours those of sRGB: for what reckons with the meaning of colours.
  static let anythingInSRGB = PixelForm(ranges: [.full, .limited])

  /// Whether pictures of the form may have transparent pixels.
  var hasTransparency: Bool { alpha != [.opaque] && layouts.contains(where: \.hasAlpha) }
}
