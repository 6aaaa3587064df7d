import FetchPipeline

/// The layout and alpha state that a picture is brought into: of those that a form admits, the one that loses least, and
/// of these the one that costs least.
struct LayoutChoice: Equatable {
  let layout: PixelLayout
  let alpha: AlphaState

  /// nil where the form admits no layout at all.
  init?(for image: PixelImage, in form: PixelForm, background: Color) {
    let hasAlpha = image.layout.hasAlpha && image.alpha != .opaque
    let states: [AlphaState] =
      image.alpha == .premultiplied ? [.premultiplied, .straight] : [.straight, .premultiplied]
    let withAlpha = states.first { form.alpha.contains($0) }
    let keepsAlpha = hasAlpha && withAlpha != nil && form.layouts.contains(where: \.hasAlpha)
    // Opaque pictures fit a form that wants alpha once they have a channel of it.
    let needsAlpha = keepsAlpha || !form.alpha.contains(.opaque)
    let ranked = Self.ranking(of: image.layout, keepingAlpha: keepsAlpha, over: background)
    let admitted = ranked.filter { form.layouts.contains($0) }
    guard let layout = admitted.first(where: { $0.hasAlpha || !needsAlpha }) ?? admitted.first else { return nil }
    self.layout = layout
    alpha = layout.hasAlpha && needsAlpha ? withAlpha ?? .opaque : .opaque
  }

  private static func ranking(
    of layout: PixelLayout, keepingAlpha: Bool, over background: Color
  ) -> [PixelLayout] {
    switch layout {
    case .yCbCr: [.yCbCr, .rgb, .rgba, .cmyk, .gray, .grayAlpha]
    case .gray: [.gray, .grayAlpha, .yCbCr, .rgb, .rgba, .cmyk]
    case .rgb: [.rgb, .rgba, .yCbCr, .cmyk, .gray, .grayAlpha]
    case .cmyk: [.cmyk, .rgb, .rgba, .yCbCr, .gray, .grayAlpha]
    case .rgba where keepingAlpha: [.rgba, .grayAlpha]
    case .rgba: [.rgb, .rgba, .yCbCr, .cmyk, .gray, .grayAlpha]
    case .grayAlpha where keepingAlpha: [.grayAlpha, .rgba]
    case .grayAlpha where background.isGray:
      [.gray, .grayAlpha, .yCbCr, .rgb, .rgba, .cmyk]
    case .grayAlpha: [.rgb, .rgba, .yCbCr, .cmyk, .gray, .grayAlpha]
    }
  }
}
