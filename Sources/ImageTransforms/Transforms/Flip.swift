import FetchPipeline

/// Mirrors a picture, after its own orientation was applied.
///
/// That is noted and done with whatever makes samples next, on the small picture.
public struct Flip: Stage, ImageTransform, Hashable {
  public typealias Slot = TransformSlot
  public static let name = "flip"
  public static let summary = "mirrors the picture"

  /// What is mirrored.
  public enum Axis: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
    /// Left and right.
    case horizontal
    /// Top and bottom.
    case vertical
  }

  /// What is mirrored.
  public var axis = Axis.horizontal

  /// Mirrors left and right.
  public init() {}

  /// Mirrors along an axis.
  public init(axis: Axis) {
    self.axis = axis
  }

  public static let options: [OptionDeclaration<Flip>] = [
    .init("axis", \.axis, "horizontal: left and right change places; vertical: top and bottom", required: true)
  ]

  public func make(in context: StageContext) -> any ImageTransform { self }

  private var turn: Orientation { axis == .horizontal ? .upMirrored : .downMirrored }

  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    PixelDemand(region: turn.stored(output.region, displayed: input), scale: output.scale)
  }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  public func fingerprint(into print: inout Fingerprint) { print.add("axis", axis.rawValue) }

  public func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image.turned(by: turn) }
}
