import CLCMS2
import ColorManagement
import FetchPipeline
import Testing

/// Colours by profiles whose meaning can be worked out by hand.
struct ColorConversionTests {
  /// sRGB with red and blue exchanged: what the file calls red is blue.
  @Test(arguments: [PixelLayout.rgb, .rgba], SampleDepth.allCases)
  func exchangedPrimariesExchangeColours(layout: PixelLayout, depth: SampleDepth) throws {
    let alpha = layout.hasAlpha ? [128] : []
    let image = try picture([[255, 0, 0] + alpha, [0, 255, 0] + alpha, [40, 90, 200] + alpha], layout, depth)
    let (converted, flags) = try convert(image, profile(primaries: (Self.blue, Self.green, Self.red)))
    #expect(flags == [.iccConverted])
    #expect(converted.profile == .sRGB)
    #expect(converted.layout == layout && converted.depth == depth && converted.alpha == image.alpha)
    let pixels = levels(of: converted)
    for (seen, expected) in zip(pixels, [[0, 0, 255], [0, 255, 0], [200, 90, 40]]) {
      for channel in 0..<3 { #expect(abs(seen[channel] - expected[channel]) <= 2, "\(seen) \(expected)") }
      if layout.hasAlpha { #expect(seen[3] == 128) }
    }
  }

  /// A gamma of 1.0 in the file: 128 of 255 is half of the light, which in sRGB is 188 (IEC 61966-2-1).
  @Test func linearLightBecomesBrighter() throws {
    let image = try picture([[128, 128, 128], [0, 0, 0], [255, 255, 255]], .rgb, .eight)
    let (converted, _) = try convert(image, profile(primaries: (Self.red, Self.green, Self.blue), gamma: 1))
    let pixels = levels(of: converted)
    for (seen, expected) in zip(pixels, [188, 0, 255]) {
      for channel in 0..<3 { #expect(abs(seen[channel] - expected) <= 1, "\(seen)") }
    }
  }

  @Test func aGreyProfileIsForGreyPictures() throws {
    let linear = grayProfile(gamma: 1)
    let (converted, flags) = try convert(try picture([[128], [0], [255]], .gray, .eight), linear)
    #expect(flags == [.iccConverted])
    #expect(converted.layout == .gray)
    for (seen, expected) in zip(levels(of: converted), [188, 0, 255]) { #expect(abs(seen[0] - expected) <= 1) }
    // And for no others, as little as one of RGB is for grey ones.
    let (colour, colourFlags) = try convert(try picture([[10, 20, 30]], .rgb, .eight), linear)
    #expect(colourFlags == [.iccInvalid])
    #expect(levels(of: colour) == [[10, 20, 30]])
    let exchanged = profile(primaries: (Self.blue, Self.green, Self.red))
    let (grey, greyFlags) = try convert(try picture([[77]], .gray, .eight), exchanged)
    #expect(greyFlags == [.iccInvalid])
    #expect(levels(of: grey) == [[77]])
  }

  @Test func sRGBByAnyNameIsLeftAlone() throws {
    let same = profile(primaries: (Self.red, Self.green, Self.blue))
    let image = try picture([[12, 200, 133]], .rgb, .eight, same)
    let converter = LittleCMSConverter()
    #expect(converter.isSRGB(image))
    let (converted, flags) = try converter.convertToSRGB(image)
    #expect(flags.isEmpty)
    #expect(levels(of: converted) == [[12, 200, 133]])
    #expect(converted.profile == .sRGB)
  }

  @Test(arguments: [0, 1, 127, 128, 300]) func whatIsNoProfileIsIgnored(length: Int) throws {
    let whole = profile(primaries: (Self.blue, Self.green, Self.red)).array()
    for bytes in [Array(whole.prefix(length)), [UInt8](repeating: 0x41, count: length)] {
      let (converted, flags) = try convert(try picture([[255, 0, 0]], .rgb, .eight), SharedBytes(bytes))
      #expect(flags == [.iccInvalid])
      #expect(levels(of: converted) == [[255, 0, 0]])
    }
  }

  // MARK: Pictures and profiles

  private static let red = cmsCIExyY(x: 0.64, y: 0.33, Y: 1)
  private static let green = cmsCIExyY(x: 0.30, y: 0.60, Y: 1)
  private static let blue = cmsCIExyY(x: 0.15, y: 0.06, Y: 1)

  private func convert(
    _ image: PixelImage, _ profile: SharedBytes
  ) throws -> (image: PixelImage, flags: Set<ResultFlag>) {
    var image = image
    image.profile = .icc(profile)
    return try LittleCMSConverter().convertToSRGB(image)
  }

  private func picture(
    _ pixels: [[Int]], _ layout: PixelLayout, _ depth: SampleDepth, _ profile: SharedBytes? = nil
  ) throws -> PixelImage {
    var image = try PixelImage(layout: layout, depth: depth, size: PixelSize(width: pixels.count, height: 1))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for (index, value) in pixels.joined().enumerated() {
        switch depth {
        case .eight: bytes[index] = UInt8(value)
        case .sixteen: bytes.storeBytes(of: UInt16(value * 257), toByteOffset: index * 2, as: UInt16.self)
        }
      }
    }
    if let profile { image.profile = .icc(profile) }
    return image
  }

  /// The samples of the first row, as levels of 255.
  private func levels(of image: PixelImage) -> [[Int]] {
    image.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<image.size.width).map { column in
        (0..<image.layout.channels).map { channel in
          let at = column * image.layout.channels + channel
          switch image.depth {
          case .eight: return Int(bytes[at])
          case .sixteen: return (Int(bytes.load(fromByteOffset: at * 2, as: UInt16.self)) + 128) / 257
          }
        }
      }
    }
  }

  /// A profile of these primaries with a gamma, or with sRGB's tone curve.
  private func profile(primaries: (cmsCIExyY, cmsCIExyY, cmsCIExyY), gamma: Double? = nil) -> SharedBytes {
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    var triple = cmsCIExyYTRIPLE(Red: primaries.0, Green: primaries.1, Blue: primaries.2)
    let parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    let curve = gamma.map { cmsBuildGamma(nil, $0) } ?? cmsBuildParametricToneCurve(nil, 4, parameters)
    defer { cmsFreeToneCurve(curve) }
    var curves = [curve, curve, curve]
    return saved(cmsCreateRGBProfile(&white, &triple, &curves))
  }

  private func grayProfile(gamma: Double) -> SharedBytes {
    let curve = cmsBuildGamma(nil, gamma)
    defer { cmsFreeToneCurve(curve) }
    return saved(cmsCreateGrayProfile(cmsD50_xyY(), curve))
  }

  private func saved(_ profile: cmsHPROFILE?) -> SharedBytes {
    defer { cmsCloseProfile(profile) }
    var count: UInt32 = 0
    cmsSaveProfileToMem(profile, nil, &count)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    cmsSaveProfileToMem(profile, &bytes, &count)
    return SharedBytes(bytes)
  }
}
