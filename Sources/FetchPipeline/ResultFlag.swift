/// Something worth knowing about a result that did not make it fail.
public enum ResultFlag: String, Sendable, Hashable, CaseIterable {
  /// Part of the picture was missing or broken, and the rest was kept.
  case damaged
  /// The file has a flaw that cost no pixel.
  case tolerated
  /// Colours were converted to sRGB by the embedded profile.
  case iccConverted = "icc-converted"
  /// The embedded profile is broken or for another kind of picture, and was ignored.
  case iccInvalid = "icc-invalid"
  /// The source is CMYK.
  case cmyk
  /// The source has a high dynamic range.
  case hdr
  /// The source has more frames than the first.
  case animated
  /// Transparent pixels were laid over the background.
  case alphaFlattened = "alpha-flattened"
  /// Content-Type or extension name another format than the bytes are.
  case mimeMismatch = "mime-mismatch"
  /// The answer came after at least one redirect.
  case redirected
  /// The file's name was taken, and got a suffix.
  case renamed
}
