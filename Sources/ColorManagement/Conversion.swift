import CLCMS2
import FetchPipeline

/// What a profile means for a kind of picture.
enum Conversion: Sendable {
  /// Its colours are those of sRGB already, to within a level.
  case none
  /// It cannot be read, or is for another kind of picture.
  case invalid
  case transform(ColorTransform)

  /// Reads a profile and prepares its transform to sRGB.
  init(_ key: ConversionKey) {
    let context = LCMSContext()
    guard let profile = LCMSProfile(key, context),
      let space = profile.space, space.fits(key.layout),
      let transform = ColorTransform(from: profile, space: space, key: key, context: context)
    else {
      self = .invalid
      return
    }
    self = transform.isIdentity ? .none : .transform(transform)
  }
}

/// The kinds of colour that profiles are for.
enum ProfileSpace {
  case gray
  case rgb
  case cmyk

  /// Whether a picture of that layout can have such a profile.
  func fits(_ layout: PixelLayout) -> Bool {
    switch (self, layout) {
    case (.gray, .gray), (.gray, .grayAlpha), (.rgb, .rgb), (.rgb, .rgba), (.cmyk, .cmyk): true
    default: false
    }
  }
}

/// An error context that keeps Little CMS from printing.
// Sendable: made, used for reading and freed by one owner; transforms that outlive it do not refer to it.
final class LCMSContext: @unchecked Sendable {
  let handle: cmsContext?

  init() {
    handle = cmsCreateContext(nil, nil)
    cmsSetLogErrorHandlerTHR(handle) { _, _, _ in }
  }

  deinit {
    cmsDeleteContext(handle)
  }
}

/// An open profile.
final class LCMSProfile {
  let handle: cmsHPROFILE

  /// The profile that a picture has; nil where it cannot be read.
  convenience init?(_ key: ConversionKey, _ context: LCMSContext) {
    switch key.profile {
    case .sRGB: self.init(sRGB: context)
    case .icc(let bytes): self.init(bytes, context)
    case .encoding(let encoding):
      let isGray = key.layout == .gray || key.layout == .grayAlpha
      self.init(encoding, isGray: isGray, depth: key.depth, context)
    }
  }

  /// The profile in `bytes`; nil where it cannot be read.
  init?(_ bytes: SharedBytes, _ context: LCMSContext) {
    // Larger ones are copied into memory by the library whatever they are good for.
    guard bytes.count >= 128, bytes.count <= 16 << 20 else { return nil }
    let opened = bytes.withUnsafeBytes { cmsOpenProfileFromMemTHR(context.handle, $0.baseAddress, UInt32($0.count)) }
    guard let opened else { return nil }
    handle = opened
  }

  /// Takes over an open profile.
  init(owning handle: cmsHPROFILE) {
    self.handle = handle
  }

  /// sRGB.
  init?(sRGB context: LCMSContext) {
    guard let made = cmsCreate_sRGBProfileTHR(context.handle) else { return nil }
    handle = made
  }

  deinit {
    cmsCloseProfile(handle)
  }

  /// What it is for; nil for what is no picture of ours, and for profiles of devices that only take colours.
  var space: ProfileSpace? {
    let kind = cmsGetDeviceClass(handle)
    guard
      kind == cmsSigInputClass || kind == cmsSigDisplayClass || kind == cmsSigOutputClass
        || kind == cmsSigColorSpaceClass
    else { return nil }
    switch cmsGetColorSpace(handle) {
    case cmsSigGrayData: return .gray
    case cmsSigRgbData: return .rgb
    case cmsSigCmykData: return .cmyk
    default: return nil
    }
  }
}
