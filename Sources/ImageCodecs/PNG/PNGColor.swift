import FetchPipeline

/// What the chunks of a PNG say of its colours. Of several statements the first of cICP, iCCP, sRGB, and gAMA with cHRM is
/// heeded (PNG, third edition, 4.3).
struct PNGColor: Equatable {
  /// What cICP says (11.3.2.6), where it says something that is known here.
  private(set) var coding: ColorEncoding?
  /// Whether there is an sRGB chunk (11.3.2.5).
  private(set) var isSRGB = false
  /// What gAMA says (11.3.2.2): the exponent of the encoding, about 0.45 for usual pictures.
  private(set) var gamma: Double?
  /// What cHRM says (11.3.2.1).
  private(set) var primaries: ColorPrimaries?

  /// Whether PQ or HLG is stated.
  var isHighDynamicRange: Bool { coding?.transfer.isHighDynamicRange ?? false }

  /// Reads a chunk; false where it breaks the rules.
  mutating func read(_ type: String, _ data: UnsafeRawBufferPointer) -> Bool {
    switch type {
    case "cICP":
      guard data.count == 4 else { return false }
      coding = CodingIndependentCodePoints.encoding(
        primaries: data[0], transfer: data[1], matrix: data[2], isFullRange: data[3] != 0)
      // Samples of a PNG are RGB or grey, whatever is stated.
      return data[2] == 0 && data[3] <= 1
    case "sRGB":
      guard data.count == 1, data[0] <= 3 else { return false }
      isSRGB = true
    case "gAMA":
      guard data.count == 4 else { return false }
      let value = data.bigEndian32(at: 0)
      // A thousandth to a thousand, as encodings go.
      guard (100...100_000_000).contains(value) else { return false }
      gamma = Double(value) / 100_000
    case "cHRM":
      guard data.count == 32 else { return false }
      // Some primaries have negative coordinates.
      let values = (0..<8).map { Double(Int32(bitPattern: data.bigEndian32(at: $0 * 4))) / 100_000 }
      let stated = ColorPrimaries(
        red: Chromaticity(values[2], values[3]), green: Chromaticity(values[4], values[5]),
        blue: Chromaticity(values[6], values[7]), white: Chromaticity(values[0], values[1]))
      guard stated.isPossible else { return false }
      primaries = stated
    default: break
    }
    return true
  }

  /// What the colours refer to, beside an embedded profile that can be read.
  func profile(embedded: SharedBytes?) -> ColorProfile {
    if let coding { return coding.isSRGB ? .sRGB : .encoding(coding) }
    if let embedded { return .icc(embedded) }
    if isSRGB || gamma == nil && primaries == nil { return .sRGB }
    let encoding = ColorEncoding(primaries: primaries ?? .sRGB, transfer: Self.transfer(gamma))
    return encoding.isSRGB ? .sRGB : .encoding(encoding)
  }

  /// Programs write 1/2.2, rounded in many ways, for the curve of sRGB, and viewers take it for that.
  private static func transfer(_ gamma: Double?) -> TransferFunction {
    guard let gamma, abs(gamma * 2.2 - 1) > 0.05 else { return .sRGB }
    return .power(1 / gamma)
  }
}

/// The numbers of ITU-T H.273 for colours, as far as pictures use them.
enum CodingIndependentCodePoints {
  /// What the numbers mean; nil where one of them is not known, or is not of RGB.
  static func encoding(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) -> ColorEncoding? {
    guard matrix == 0, let primaries = self.primaries(primaries), let transfer = self.transfer(transfer) else {
      return nil
    }
    return ColorEncoding(primaries: primaries, transfer: transfer, isNarrowRange: !isFullRange)
  }

  /// Table 2.
  private static func primaries(_ number: UInt8) -> ColorPrimaries? {
    func primaries(_ values: [Double], _ white: Chromaticity = .d65) -> ColorPrimaries {
      ColorPrimaries(
        red: Chromaticity(values[0], values[1]), green: Chromaticity(values[2], values[3]),
        blue: Chromaticity(values[4], values[5]), white: white)
    }
    let illuminantC = Chromaticity(0.310, 0.316)
    return switch number {
    case 1: .sRGB
    case 4: primaries([0.67, 0.33, 0.21, 0.71, 0.14, 0.08], illuminantC)
    case 5: primaries([0.64, 0.33, 0.29, 0.60, 0.15, 0.06])
    case 6, 7: primaries([0.630, 0.340, 0.310, 0.595, 0.155, 0.070])
    case 8: primaries([0.681, 0.319, 0.243, 0.692, 0.145, 0.049], illuminantC)
    case 9: primaries([0.708, 0.292, 0.170, 0.797, 0.131, 0.046])
    case 10: primaries([1, 0, 0, 1, 0, 0], Chromaticity(1.0 / 3, 1.0 / 3))
    case 11: primaries([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], Chromaticity(0.314, 0.351))
    case 12: primaries([0.680, 0.320, 0.265, 0.690, 0.150, 0.060])
    case 22: primaries([0.630, 0.340, 0.295, 0.605, 0.155, 0.077])
    default: nil
    }
  }

  /// Table 3.
  private static func transfer(_ number: UInt8) -> TransferFunction? {
    switch number {
    case 1, 6, 14, 15: .bt709
    case 4: .power(2.2)
    case 5: .power(2.8)
    case 7: .smpte240
    case 8: .power(1)
    case 13: .sRGB
    case 16: .pq
    case 17: .smpte428
    case 18: .hlg
    default: nil
    }
  }
}
