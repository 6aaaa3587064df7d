import FetchPipeline

/// Lays a picture over a colour.
public struct Background: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "background"
  /// What it does, in a sentence.
  public static let summary = "lays the picture over a colour"

  /// What shows through transparent pixels. Where it is transparent itself, so is the result.
  public var color = Color.white

  /// White.
  public init() {}

  /// A colour.
  public init(color: Color) {
    self.color = color
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Background>] = [
    .init("color", \.color, "what shows through transparent pixels", required: true)
  ]

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { output }

  /// Anything.
  public var acceptedForm: PixelForm { .anythingInSRGB }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) { print.add("color", color.description) }

  /// The transformed picture.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    guard image.layout.hasAlpha, image.alpha != .opaque else { return image }
    return color.alpha == 255 ? try image.flattened(over: color) : try image.composited(over: color)
  }
}
