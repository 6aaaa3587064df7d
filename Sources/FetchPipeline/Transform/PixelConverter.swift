/// Brings pictures into the form that a stage takes: layout, depth, orientation, alpha, chroma.
public protocol PixelConverter: Sendable {
  /// `image` in `form`: itself where it is in it already.
  ///
  /// - Parameter background: what transparency is laid over where the form has no alpha.
  func convert(_ image: PixelImage, to form: PixelForm, background: Color) throws -> PixelImage
}

/// Converts colours to sRGB by a picture's profile.
public protocol ColorConverter: Sendable {
  /// Whether a picture's colours are those of sRGB already, or its profile says nothing that can be used.
  func isSRGB(_ image: PixelImage) -> Bool

  /// `image` in sRGB, and what was noticed: `icc-converted` or `icc-invalid`. Where `isSRGB` does not say so, the picture
  /// must be literal, not YCbCr, and its colours not multiplied by alpha.
  func convertToSRGB(_ image: PixelImage) throws -> (image: PixelImage, flags: Set<ResultFlag>)
}
