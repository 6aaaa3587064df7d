import FetchPipeline

/// Mirrors a picture, after its own orientation was applied.
///
/// That is noted and done with whatever makes samples next, on the small picture.
public struct Flip: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "flip"
  /// What it does, in a sentence.
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

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Flip>] = [
    .init("axis", \.axis, "horizontal: left and right change places; vertical: top and bottom", required: true)
  ]

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  private var turn: Orientation { axis == .horizontal ? .upMirrored : .downMirrored }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    PixelDemand(region: turn.stored(output.region, displayed: input), scale: output.scale)
  }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) { print.add("axis", axis.rawValue) }

  /// The transformed picture.
  public func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image.turned(by: turn) }
}
