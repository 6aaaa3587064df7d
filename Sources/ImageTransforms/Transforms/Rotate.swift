import FetchPipeline

/// Turns a picture by quarters, after its own orientation was applied.
///
/// The turn is noted and done with whatever makes samples next, on the small picture.
public struct Rotate: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "rotate"
  /// What it does, in a sentence.
  public static let summary = "turns the picture by quarters"

  /// Degrees clockwise: 90, 180 or 270.
  public var angle = 90

  /// A quarter turn clockwise.
  public init() {}

  /// A turn clockwise by 90, 180 or 270 degrees; by any other number of degrees nothing is turned.
  public init(angle: Int) {
    self.angle = angle
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Rotate>] = [
    .init(
      "angle", \.angle, "degrees clockwise: 90, 180 or 270", required: true,
      check: { [90, 180, 270].contains($0) ? nil : "\($0) is not one of 90, 180 and 270" })
  ]

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  private var turn: Orientation {
    switch angle {
    case 90: .right
    case 180: .down
    case 270: .left
    default: .up
    }
  }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { turn.applied(to: input) }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    PixelDemand(region: turn.stored(output.region, displayed: turn.applied(to: input)), scale: output.scale)
  }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) { print.add("angle", angle) }

  /// The transformed picture.
  public func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image.turned(by: turn) }
}

extension PixelImage {
  /// The picture with a turn of what is shown noted in its orientation.
  func turned(by turn: Orientation) -> PixelImage {
    var result = self
    result.orientation = orientation.followed(by: turn)
    result.size = turn.applied(to: size)
    return result
  }
}
