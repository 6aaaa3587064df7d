import CImageCodecs

/// The versions of the libraries that decode and encode, as they were compiled in.
public enum CodecVersions {
  /// Each library and its version.
  public static var all: [(name: String, version: String)] {
    let jpeg = fp_jpeg_library_version()
    return [("libjpeg-turbo", "\(jpeg / 1_000_000).\(jpeg / 1000 % 1000).\(jpeg % 1000)")]
  }
}
