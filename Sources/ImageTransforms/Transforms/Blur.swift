import FetchPipeline

/// Blurs a picture by a Gaussian.
///
/// Works on what is stored, however sparse, in the picture's own layout; straight alpha is multiplied in on the way, so
/// that the colour of transparent pixels does not bleed.
public struct Blur: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "blur"
  /// What it does, in a sentence.
  public static let summary = "blurs the picture"

  /// The Gaussian's standard deviation in pixels of the result.
  public var sigma = 1.0

  /// A blur by a standard deviation of 1 pixel.
  public init() {}

  /// A blur by a standard deviation of 0.1…250 pixels.
  public init(sigma: Double) {
    self.sigma = sigma
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Blur>] = [
    .init(
      "sigma", \.sigma, in: 0.1...250, "standard deviation of the Gaussian, in pixels of the result", required: true)
  ]

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { input }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    GaussianFilter(sigma: sigma).demand(on: input, for: output)
  }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) { print.add("sigma", sigma) }

  /// The transformed picture.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    try GaussianFilter(sigma: sigma).apply(to: image.trimmed(), checkpoint: context.checkpoint)
  }
}
