import FetchPipeline

/// Brings pictures into the form that a stage takes, by the shortest way, and does nothing where there is nothing to do.
///
/// Colours are converted by ITU-R BT.601 (JFIF), CMYK by the plain formula, neither by a profile: that is a
/// `ColorConverter`'s work. Every level is right to the nearest of the exact formula, or one beside it.
public struct StandardPixelConverter: PixelConverter, Sendable {
  /// What fractional windows and sparse samples are realised with.
  private let resampler = Resampler()

  /// The converter.
  public init() {}

  /// `image` in `form`: itself where it is in it already.
  ///
  /// Transparency is kept where the form has both a layout and a state for it, else laid over `background`, whose own
  /// alpha is ignored. 16-bit samples become 8-bit ones before colours are reckoned with.
  ///
  /// - Throws: `transform` where the form admits nothing, `out-of-budget` where there is no memory.
  public func convert(_ image: PixelImage, to form: PixelForm, background: Color) throws -> PixelImage {
    guard let choice = LayoutChoice(for: image, in: form, background: background),
      let depth = form.depths.contains(image.depth) ? image.depth : form.depths.first
    else { throw PipelineError(.transform, .transform, "a stage takes no picture at all") }
    var result = try image.converted(to: depth)
    let isChromaFixed = choice.layout == .yCbCr && form.chroma != nil
    if form.isLiteral || isChromaFixed {
      result = try literal(result, for: choice.layout, chroma: form.chroma)
    }
    result = try alphaConverted(result, to: choice, background: background)
    result = try converted(result, to: choice.layout, chroma: form.chroma)
    result.alpha = choice.alpha
    if choice.layout == .yCbCr, !form.ranges.contains(result.range), let range = form.ranges.first {
      result = try result.converted(to: range)
    }
    return result
  }

  private func literal(
    _ image: PixelImage, for layout: PixelLayout, chroma: ChromaSubsampling?
  ) throws -> PixelImage {
    guard image.layout == .yCbCr else { return image.isLiteral ? image : try resampler.resample(image, to: image.size) }
    let staysPlanar = layout == .yCbCr
    if image.isLiteral, image.hasLiteralChroma(staysPlanar ? chroma : nil) { return image }
    // On the way to RGB chroma gets its samples in the same step.
    return try resampler.resample(image, to: image.size, chroma: staysPlanar ? chroma : ChromaSubsampling.none)
  }

  private func alphaConverted(
    _ image: PixelImage, to choice: LayoutChoice, background: Color
  ) throws -> PixelImage {
    guard image.layout.hasAlpha else { return image }
    if choice.alpha != .opaque { return try image.withAlphaState(choice.alpha) }
    if image.alpha != .opaque { return try image.flattened(over: background) }
    return choice.layout.hasAlpha ? image : try image.withoutAlphaChannel()
  }

  /// `image` in a layout; what is transparent stays so.
  private func converted(
    _ image: PixelImage, to layout: PixelLayout, chroma: ChromaSubsampling?
  ) throws -> PixelImage {
    if image.layout == layout { return image }
    switch (image.layout, layout) {
    case (.gray, .yCbCr): return try image.grayAsYCbCr(chroma ?? .half)
    case (.yCbCr, .gray), (.yCbCr, .grayAlpha): return try withAlphaChannel(image.lumaAsGray(), if: layout)
    case (.gray, .grayAlpha): return try withAlphaChannel(image, if: layout)
    case (.grayAlpha, .rgba): return try image.withGrayAsRGB()
    case (.rgba, .grayAlpha): return try image.rgbAsGray()
    default: break
    }
    let colors: PixelImage =
      switch image.layout {
      case .yCbCr: try image.yCbCrAsRGB()
      case .gray: try image.withGrayAsRGB()
      case .cmyk: try image.cmykAsRGB()
      case .grayAlpha: try image.withoutAlphaChannel().withGrayAsRGB()
      case .rgba: try image.withoutAlphaChannel()
      case .rgb: image
      }
    return switch layout {
    case .yCbCr: try colors.rgbAsYCbCr(chroma ?? .none)
    case .rgb: colors
    case .rgba: try withAlphaChannel(colors, if: layout)
    case .cmyk: try colors.rgbAsCMYK()
    case .gray, .grayAlpha: try withAlphaChannel(colors.rgbAsGray(), if: layout)
    }
  }

  private func withAlphaChannel(_ image: PixelImage, if layout: PixelLayout) throws -> PixelImage {
    layout.hasAlpha ? try image.withAlphaChannel() : image
  }
}
