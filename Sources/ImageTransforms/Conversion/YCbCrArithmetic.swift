import FetchPipeline

/// Colour arithmetic of ITU-R BT.601 in integers; right to the nearest level but for ties.
///
/// `Wide` holds products of samples and coefficients, which have half its bits behind the point: 32 bits for 8-bit samples,
/// 64 for 16-bit ones.
struct YCbCrArithmetic<Sample: FixedWidthInteger & UnsignedInteger, Wide: FixedWidthInteger & SignedInteger> {
  // From YCbCr.
  private let lumaOffset: Wide
  private let lumaScale: Wide
  private let redOfCr: Wide
  private let greenOfCb: Wide
  private let greenOfCr: Wide
  private let blueOfCb: Wide
  // To YCbCr; each row adds up to 1 or 0 exactly, so that grey stays what it is.
  private let lumaOfRed: Wide
  private let lumaOfGreen: Wide
  private let lumaOfBlue: Wide
  private let cbOfRed: Wide
  private let crOfBlue: Wide

  private let middle: Wide

  @inline(__always) private static var places: Wide { Wide(truncatingIfNeeded: Wide.bitWidth / 2) }
  @inline(__always) private static var half: Wide { 1 &<< (places &- 1) }

  /// - Parameter range: that of the YCbCr side. With 16 bits the limited range is 256 times that of 8 bits.
  init(range: SampleRange) {
    let unit = Double(1 << (Sample.bitWidth - 8))
    let isLimited = range == .limited
    let luma = isLimited ? Double(Sample.max) / (219 * unit) : 1
    let chroma = isLimited ? Double(Sample.max) / (224 * unit) : 1
    lumaOffset = isLimited ? Wide(16 * unit) : 0
    lumaScale = Self.fixed(luma)
    redOfCr = Self.fixed(1.402 * chroma)
    greenOfCb = Self.fixed(-(0.114 * 1.772 / 0.587) * chroma)
    greenOfCr = Self.fixed(-(0.299 * 1.402 / 0.587) * chroma)
    blueOfCb = Self.fixed(1.772 * chroma)
    lumaOfRed = Self.fixed(0.299)
    lumaOfBlue = Self.fixed(0.114)
    lumaOfGreen = Self.fixed(1) - Self.fixed(0.299) - Self.fixed(0.114)
    cbOfRed = Self.fixed(-0.299 / 1.772)
    crOfBlue = Self.fixed(-0.114 / 1.402)
    middle = Wide(128 * unit)
  }

  @inline(__always)
  func rgb(_ y: Sample, _ cb: Sample, _ cr: Sample) -> (Sample, Sample, Sample) {
    let luma = (Wide(y) &- lumaOffset) &* lumaScale
    let (blue, red) = (Wide(cb) &- middle, Wide(cr) &- middle)
    return (
      rounded(luma &+ redOfCr &* red), rounded(luma &+ greenOfCb &* blue &+ greenOfCr &* red),
      rounded(luma &+ blueOfCb &* blue)
    )
  }

  /// Luma of limited range as grey.
  @inline(__always)
  func gray(_ y: Sample) -> Sample { rounded((Wide(y) &- lumaOffset) &* lumaScale) }

  /// Full-range luma.
  @inline(__always)
  func luma(_ red: Sample, _ green: Sample, _ blue: Sample) -> Sample {
    rounded(lumaOfRed &* Wide(red) &+ lumaOfGreen &* Wide(green) &+ lumaOfBlue &* Wide(blue))
  }

  /// Full-range chroma of the mean of `count` pixels, at most 64, whose sums these are.
  @inline(__always)
  func cb(_ red: Wide, _ green: Wide, _ blue: Wide, count: Wide) -> Sample {
    mean(Self.half &* (blue &- green) &+ cbOfRed &* (red &- green), of: count)
  }

  /// See `cb`.
  @inline(__always)
  func cr(_ red: Wide, _ green: Wide, _ blue: Wide, count: Wide) -> Sample {
    mean(Self.half &* (red &- green) &+ crOfBlue &* (blue &- green), of: count)
  }

  @inline(__always)
  private func mean(_ sum: Wide, of count: Wide) -> Sample {
    let offset = middle &<< Self.places
    if count == 1 { return rounded(sum &+ offset) }
    return rounded(count == 4 ? (sum &+ 2) &>> 2 &+ offset : (sum &+ count / 2) / count &+ offset)
  }

  /// Full-range YCbCr.
  @inline(__always)
  func yCbCr(_ red: Sample, _ green: Sample, _ blue: Sample) -> (Sample, Sample, Sample) {
    let (r, g, b) = (Wide(red), Wide(green), Wide(blue))
    return (luma(red, green, blue), cb(r, g, b, count: 1), cr(r, g, b, count: 1))
  }

  @inline(__always)
  private func rounded(_ value: Wide) -> Sample {
    Sample(clamping: (value &+ Self.half) &>> Self.places)
  }

  private static func fixed(_ value: Double) -> Wide { Wide((value * Double(UInt64(1) << UInt64(places))).rounded()) }
}
