import FetchPipeline

/// Makes a picture grey: the luma of ITU-R BT.601, alpha as it is.
public struct Grayscale: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "grayscale"
  /// What it does, in a sentence.
  public static let summary = "makes the picture grey"

  /// The transform, which has no options.
  public init() {}

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Grayscale>] = []

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { output }

  /// Anything.
  public var acceptedForm: PixelForm { .anythingInSRGB }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) {}

  /// The transformed picture.
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
