import FetchPipeline

/// Lays a picture over a colour.
public struct Background: Stage, ImageTransform, Hashable {
  public typealias Slot = TransformSlot
  public static let name = "background"
  public static let summary = "lays the picture over a colour"

  /// What shows through transparent pixels. Where it is transparent itself, so is the result.
  public var color = Color.white

  /// White.
  public init() {}

  /// A colour.
  public init(color: Color) {
    self.color = color
  }

  public static let options: [OptionDeclaration<Background>] = [
    .init("color", \.color, "what shows through transparent pixels", required: true)
  ]

  public func make(in context: StageContext) -> any ImageTransform { self }

  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { output }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  public func fingerprint(into print: inout Fingerprint) { print.add("color", color.description) }

  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    guard image.layout.hasAlpha, image.alpha != .opaque else { return image }
    return color.alpha == 255 ? try image.flattened(over: color) : try image.composited(over: color)
  }
}
