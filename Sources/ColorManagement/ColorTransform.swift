import CLCMS2
import FetchPipeline

/// A prepared transform from a profile to sRGB, for pictures of one layout and depth.
// Sendable: made without Little CMS's one-pixel cache, a transform is only read by `cmsDoTransform`.
final class ColorTransform: @unchecked Sendable {
  private let handle: cmsHTRANSFORM
  private let context: LCMSContext
  private let source: PixelLayout
  private let target: PixelLayout
  private let depth: SampleDepth

  init?(from profile: LCMSProfile, space: ProfileSpace, key: ConversionKey, context: LCMSContext) {
    let (source, depth) = (key.layout, key.depth)
    let target: PixelLayout =
      switch source {
      case .gray, .grayAlpha: source
      case .rgba: .rgba
      default: .rgb
      }
    // Of 16 bits the library makes a table of colours, between which it interpolates: up to ten levels of 255 off with wide
    // gamuts. Of 8 bits it takes the formula itself where there is one.
    let exact = depth == .sixteen && source != .cmyk ? cmsFLAGS_NOOPTIMIZE : 0
    guard let sRGB = target == .gray || target == .grayAlpha ? Self.grayOfSRGB(context) : LCMSProfile(sRGB: context),
      let made = cmsCreateTransformTHR(
        context.handle, profile.handle, Self.format(source, depth), sRGB.handle, Self.format(target, depth),
        UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA | exact))
    else { return nil }
    handle = made
    self.context = context
    self.source = source
    self.target = target
    self.depth = depth
  }

  deinit {
    cmsDeleteTransform(handle)
  }

  /// `image`, which is literal, in sRGB.
  func apply(to image: PixelImage) throws -> PixelImage {
    // Colours that are multiplied by alpha are no colours of the profile.
    precondition(image.alpha != .premultiplied)
    var result = try PixelImage(layout: target, depth: depth, size: image.size, alpha: image.alpha, profile: .sRGB)
    let (from, to) = (image.planes[0], result.planes[0])
    try result.withUnsafeMutableBytes(ofPlane: 0) { output in
      image.withUnsafeBytes(ofPlane: 0) { input in
        guard let input = input.baseAddress, let output = output.baseAddress else { return }
        cmsDoTransformLineStride(
          handle, input, output, UInt32(from.size.width), UInt32(from.size.height), UInt32(from.bytesPerRow),
          UInt32(to.bytesPerRow), 0, 0)
      }
    }
    return result
  }

  /// Whether no colour of a grid over all of them is changed by more than a level of 255.
  var isIdentity: Bool {
    guard source == target, source != .cmyk else { return false }
    let channels = source.channels - (source.hasAlpha ? 1 : 0)
    let levels = stride(from: 0, through: 255, by: channels == 1 ? 5 : 51).map { $0 }
    var pixels: [Int] = []
    let extra = source.hasAlpha ? [255] : []
    if channels == 1 {
      for value in levels { pixels += [value] + extra }
    } else {
      for red in levels { for green in levels { for blue in levels { pixels += [red, green, blue] + extra } } }
    }
    let count = UInt32(pixels.count / source.channels)
    switch depth {
    case .eight:
      let input = pixels.map { UInt8($0) }
      var output = [UInt8](repeating: 0, count: input.count)
      cmsDoTransform(handle, input, &output, count)
      return zip(input, output).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    case .sixteen:
      let input = pixels.map { UInt16($0 * 257) }
      var output = [UInt16](repeating: 0, count: input.count)
      cmsDoTransform(handle, input, &output, count)
      return zip(input, output).allSatisfy { abs(Int($0) - Int($1)) <= 257 }
    }
  }

  /// Grey with sRGB's white and tone curve (IEC 61966-2-1).
  private static func grayOfSRGB(_ context: LCMSContext) -> LCMSProfile? { LCMSProfile(grayOfSRGB: context) }

  private static func format(_ layout: PixelLayout, _ depth: SampleDepth) -> UInt32 {
    let (space, channels, extra): (Int32, Int32, Int32) =
      switch layout {
      case .gray, .yCbCr: (Int32(fp_lcms_gray), 1, 0)
      case .grayAlpha: (Int32(fp_lcms_gray), 1, 1)
      case .rgb: (Int32(fp_lcms_rgb), 3, 0)
      case .rgba: (Int32(fp_lcms_rgb), 3, 1)
      case .cmyk: (Int32(fp_lcms_cmyk), 4, 0)
      }
    return fp_lcms_format(space, channels, extra, Int32(depth.bytes))
  }
}

extension LCMSProfile {
  /// Grey with sRGB's white and tone curve (IEC 61966-2-1): a parametric curve of type 4 (ICC.1:2022, 10.18).
  convenience init?(grayOfSRGB context: LCMSContext) {
    let parameters: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    guard let curve = cmsBuildParametricToneCurve(context.handle, 4, parameters) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    guard let made = cmsCreateGrayProfileTHR(context.handle, cmsD50_xyY(), curve) else { return nil }
    self.init(owning: made)
  }
}
