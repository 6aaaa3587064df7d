/// Brings pictures into the form that a stage takes, colours first.
struct ImagePreparation: Sendable {
  let pixels: any PixelConverter
  let colors: (any ColorConverter)?

  /// What a picture must be for its colours to be converted: one plane, to the letter.
  private static let forColors = PixelForm(
    layouts: [.rgb, .rgba, .gray, .grayAlpha, .cmyk], isLiteral: true, alpha: [.opaque, .straight],
    takesAnyProfile: true)

  /// `image` in `form`. What is noticed about its colours is added to `flags`.
  func prepare(
    _ image: PixelImage, for form: PixelForm, background: Color, flags: inout Set<ResultFlag>
  ) throws -> PixelImage {
    var image = image
    if !form.takesAnyProfile, image.profile != .sRGB, let colors {
      if !colors.isSRGB(image) {
        image = try pixels.convert(image, to: Self.forColors, background: background)
      }
      let (converted, noticed) = try colors.convertToSRGB(image)
      image = converted
      flags.formUnion(noticed)
    }
    return try pixels.convert(image, to: form, background: background)
  }
}
