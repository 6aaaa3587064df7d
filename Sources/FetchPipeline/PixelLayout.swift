/// How samples are arranged and what they mean.
public enum PixelLayout: String, Sendable, Hashable, CaseIterable {
  /// Three planes: luma, blue difference, red difference (ITU-R BT.601). The chroma planes have any size of their own:
  /// each covers the whole picture.
  case yCbCr
  /// One plane of luma.
  case gray
  /// One plane of luma and alpha, interleaved.
  case grayAlpha
  /// One plane of red, green and blue, interleaved.
  case rgb
  /// One plane of red, green, blue and alpha, interleaved.
  case rgba
  /// One plane of cyan, magenta, yellow and black, interleaved; 0 is no ink.
  case cmyk

  /// The number of planes.
  public var planeCount: Int { self == .yCbCr ? 3 : 1 }

  /// The samples of a pixel in each plane.
  public var channels: Int {
    switch self {
    case .yCbCr, .gray: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba, .cmyk: 4
    }
  }

  /// Whether the last channel is alpha.
  public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
}

/// The size of a sample.
public enum SampleDepth: Int, Sendable, Hashable, CaseIterable {
  /// A byte, 0…255.
  case eight = 1
  /// A `UInt16` in the machine's byte order, 0…65535.
  case sixteen = 2

  /// Bytes of a sample.
  public var bytes: Int { rawValue }
}

/// The excursion of YCbCr samples.
public enum SampleRange: Sendable, Hashable {
  /// 0…255 for luma and chroma (JFIF).
  case full
  /// 16…235 for luma and 16…240 for chroma (ITU-R BT.601, WebP).
  case limited
}

/// What alpha has done to the colours beside it.
public enum AlphaState: Sendable, Hashable {
  /// There is no alpha: every pixel is opaque.
  case opaque
  /// Colours are independent of alpha, as in files.
  case straight
  /// Colours are multiplied by alpha, as filters need them.
  case premultiplied
}

/// What the colour values refer to.
public enum ColorProfile: Sendable, Equatable {
  /// IEC 61966-2-1, which is also what an untagged picture is taken for.
  case sRGB
  /// An embedded ICC profile, unchecked.
  case icc(SharedBytes)
  /// What a file says in numbers of its own.
  case encoding(ColorEncoding)
}
