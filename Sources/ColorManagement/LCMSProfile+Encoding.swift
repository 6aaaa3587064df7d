import CLCMS2
import FetchPipeline

extension LCMSProfile {
  /// The profile of an encoding; nil where there can be none.
  convenience init?(_ encoding: ColorEncoding, isGray: Bool, depth: SampleDepth, _ context: LCMSContext) {
    guard let curve = Self.curve(of: encoding, depth: depth, context) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    if isGray {
      // Grey is of the white of its picture, which is white here as well.
      guard let made = cmsCreateGrayProfileTHR(context.handle, cmsD50_xyY(), curve) else { return nil }
      self.init(owning: made)
      return
    }
    guard encoding.primaries.isPossible else { return nil }
    func xyY(_ point: Chromaticity) -> cmsCIExyY { cmsCIExyY(x: point.x, y: point.y, Y: 1) }
    var white = xyY(encoding.primaries.white)
    var primaries = cmsCIExyYTRIPLE(
      Red: xyY(encoding.primaries.red), Green: xyY(encoding.primaries.green), Blue: xyY(encoding.primaries.blue))
    let curves: [OpaquePointer?] = [curve, curve, curve]
    guard let made = cmsCreateRGBProfileTHR(context.handle, &white, &primaries, curves) else { return nil }
    self.init(owning: made)
  }

  private static func curve(
    of encoding: ColorEncoding, depth: SampleDepth, _ context: LCMSContext
  ) -> OpaquePointer? {
    if !encoding.isNarrowRange {
      switch encoding.transfer {
      case .power(let exponent): return cmsBuildGamma(context.handle, exponent)
      case .sRGB:
        // A parametric curve of type 4 (ICC.1:2022, 10.18).
        let parameters: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        return cmsBuildParametricToneCurve(context.handle, 4, parameters)
      default: break
      }
    }
    let count = 4096
    let table = (0..<count).map { index -> Float in
      var value = Double(index) / Double(count - 1)
      if encoding.isNarrowRange {
        value = depth == .eight ? (value * 255 - 16) / 219 : (value * 65_535 - 4096) / 56_064
      }
      return Float(encoding.transfer.light(of: min(max(value, 0), 1)))
    }
    return cmsBuildTabulatedToneCurveFloat(context.handle, UInt32(count), table)
  }
}
