import CDeflate
import CImageCodecs
import CWebP

/// The versions of the libraries that decode and encode, as they were compiled in.
public enum CodecVersions {
  /// Each library and its version.
  public static var all: [(name: String, version: String)] {
    let jpeg = fp_jpeg_library_version()
    let webp = WebPGetDecoderVersion()
    return [
      ("libjpeg-turbo", "\(jpeg / 1_000_000).\(jpeg / 1000 % 1000).\(jpeg % 1000)"),
      ("libpng", String(cString: fp_png_library_version())),
      ("libdeflate", LIBDEFLATE_VERSION_STRING),
      ("libwebp", "\(webp >> 16).\(webp >> 8 & 255).\(webp & 255)"),
    ]
  }
}
