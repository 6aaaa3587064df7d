import FetchPipeline

/// Makes a picture grey: the luma of ITU-R BT.601, alpha as it is.
public struct Grayscale: Stage, ImageTransform, Hashable {
  public typealias Slot = TransformSlot
  public static let name = "grayscale"
  public static let summary = "makes the picture grey"

  /// The transform, which has no options.
  public init() {}

  public static let options: [OptionDeclaration<Grayscale>] = []

  public func make(in context: StageContext) -> any ImageTransform { self }

  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { output }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  public func fingerprint(into print: inout Fingerprint) {}

  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    guard image.layout != .gray, image.layout != .grayAlpha else { return image }
    let layout: PixelLayout = image.layout.hasAlpha && image.alpha != .opaque ? .grayAlpha : .gray
    var result = try context.converter.convert(
      image, to: PixelForm(layouts: [layout], ranges: [.full, .limited]), background: context.background)
    // A profile of colours says nothing about grey; luma is taken for that of sRGB.
    result.profile = .sRGB
    return result
  }
}
