/// Does something to a picture: resizes, crops, turns, blurs.
///
/// It plans before it works: sizes go forward through a chain of transforms, and what each needs of its input goes back,
/// so that the decoder makes no more than the chain uses.
public protocol ImageTransform: Sendable {
  /// The size of the result of a picture of `input` size, both nominal and as displayed; nil where only the pixels tell.
  func outputSize(for input: PixelSize) -> PixelSize?

  /// What of a picture of `input` size is needed to make what is needed of the result.
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand

  /// Whether the result may have transparent pixels though the input has none.
  var mayAddTransparency: Bool { get }

  /// What pictures can be worked on.
  var acceptedForm: PixelForm { get }

  /// Adds everything that changes pixels. What has the same fingerprint is taken for the same: a picture is shared by all who
  /// ask for it, and not made again in a later run. By default, for a `Stage`, all that the value stores
  /// (`Fingerprint.addContent`).
  func fingerprint(into print: inout Fingerprint)

  /// Transforms. The result has the nominal size that was planned.
  func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage
}

extension ImageTransform {
  /// As large as the input.
  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  /// It adds none.
  public var mayAddTransparency: Bool { false }

  /// Of the input what is needed of the result.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { output }

  /// Pictures to the letter: upright, 8 bits a sample, alpha as in files, YCbCr or not.
  public var acceptedForm: PixelForm {
    PixelForm(depths: [.eight], isLiteral: true, alpha: [.opaque, .straight])
  }
}

extension ImageTransform where Self: Stage {
  /// Adds all that the value stores, options or not.
  public func fingerprint(into print: inout Fingerprint) { print.addContent(Self.name, self) }
}

/// How much of a picture is needed.
public struct PixelDemand: Sendable, Hashable {
  /// Which part, in nominal pixels as displayed.
  public var region: PixelRect
  /// How many samples of each nominal pixel, in each direction, are of use: 1 for all there are.
  public var scale: Double

  /// A demand.
  public init(region: PixelRect, scale: Double = 1) {
    self.region = region
    self.scale = scale
  }

  /// All of a picture of that size.
  public static func all(of size: PixelSize) -> PixelDemand { PixelDemand(region: PixelRect(size)) }
}

/// What a transform may need to know beside the picture.
public struct TransformContext: Sendable {
  /// The form that the encoder takes in the end; a transform that makes new samples had best make them so.
  public var wanted: PixelForm
  /// What transparency is laid over in the end, where the encoder has no alpha.
  public var background: Color
  /// Converts pictures.
  public var converter: any PixelConverter
  /// To be called every few milliseconds.
  public var checkpoint: DecodeCheckpoint

  /// A context.
  public init(
    wanted: PixelForm, background: Color, converter: any PixelConverter, checkpoint: DecodeCheckpoint
  ) {
    self.wanted = wanted
    self.background = background
    self.converter = converter
    self.checkpoint = checkpoint
  }
}
