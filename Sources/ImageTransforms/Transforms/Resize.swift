import FetchPipeline

/// Brings a picture to a size.
///
/// Sizes follow the formulas of ``ResizeFit`` in exact arithmetic. The result is always literal: upright, and with a sample
/// for each pixel, however sparse and turned the decoded samples were. YCbCr stays so, its chroma in the subsampling that the
/// encoder takes.
public struct Resize: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "resize"
  /// What it does, in a sentence.
  public static let summary = "brings the picture to a size"

  /// The target's width in pixels; nil for one that follows from the height.
  public var width: Int?
  /// The target's height in pixels; nil for one that follows from the width.
  public var height: Int?
  /// How the picture is fitted into the target.
  public var fit = ResizeFit.inside
  /// Whether a picture that is smaller than the target is enlarged.
  public var enlarge = false
  /// Which part `cover` keeps.
  public var position = CropPosition.center
  /// What `contain` pads with; nil for nothing, or for what the encoder lays transparency over where it has none.
  public var background: Color?
  /// The filter.
  public var kernel = ResampleKernel.lanczos3

  /// A resize without a target, which a configuration has yet to name.
  public init() {}

  /// A resize to a target of which one side may be left open.
  public init(
    width: Int? = nil, height: Int? = nil, fit: ResizeFit = .inside, enlarge: Bool = false,
    position: CropPosition = .center, background: Color? = nil, kernel: ResampleKernel = .lanczos3
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.enlarge = enlarge
    self.position = position
    self.background = background
    self.kernel = kernel
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Resize>] = [
    .init("width", \.width, in: 1...1_000_000, "the target's width in pixels; may be left out if there is a height"),
    .init("height", \.height, in: 1...1_000_000, "the target's height in pixels; may be left out if there is a width"),
    .init(
      "fit", \.fit,
      "inside: as large as it fits; cover: as small as it covers, then cut; contain: inside, then padded; fill: exactly "
        + "the target; outside: as small as it covers"),
    .init("enlarge", \.enlarge, "whether smaller pictures are enlarged"),
    .init("position", \.position, "which part cover keeps; entropy: where most is to be seen"),
    .init(
      "background", \.background,
      "what contain pads with; by default transparent, or the encoder's background where it has no transparency"),
    .init("kernel", \.kernel, "the filter, from the sharpest to none"),
  ]

  /// Notes what only several options together make wrong.
  public func validate(in scope: ConfigurationScope) {
    if width == nil, height == nil { scope.report("\"width\" or \"height\" is missing: the size to resize to") }
  }

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  // MARK: Planning

  private func sizes(for input: PixelSize) -> ResizeSizes? {
    ResizeSizes(of: input, width: width, height: height, fit: fit, enlarge: enlarge)
  }

  /// The size of the result; nil where the options leave nothing of such a picture.
  public func outputSize(for input: PixelSize) -> PixelSize? { sizes(for: input)?.result }

  /// What is kept of the picture, as dense as the target.
  ///
  /// All of what is kept, even if less of the result is needed: the filter reaches beyond every cut.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    guard let sizes = sizes(for: input) else { return .all(of: input) }
    let horizontal = Double(sizes.scaled.width) / Double(input.width)
    let vertical = Double(sizes.scaled.height) / Double(input.height)
    let region = position.offset(of: sizes.kept, in: sizes.scaled).map {
      sizes.keptRegion(of: input, left: $0.left, top: $0.top)
    }
    return PixelDemand(region: region ?? PixelRect(input), scale: min(max(horizontal, vertical), 1))
  }

  /// Whether it pads with what is not opaque.
  public var mayAddTransparency: Bool { fit == .contain && (background ?? .transparent).alpha < 255 }

  /// What pictures can be worked on.
  public var acceptedForm: PixelForm { fit == .contain ? .anythingInSRGB : .anything }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) {
    print.add("width", optional: width)
    print.add("height", optional: height)
    print.add("fit", fit.rawValue)
    print.add("enlarge", enlarge)
    print.add("position", position.rawValue)
    print.add("background", optional: background)
    print.add("kernel", kernel.rawValue)
  }

  // MARK: Work

  /// A literal picture of the planned size.
  ///
  /// - Throws: `transform` for a picture that cannot have the size, `out-of-budget`, and what the checkpoint throws.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    guard let sizes = sizes(for: image.size) else {
      throw PipelineError(.transform, .transform, "a picture of \(image.size) cannot be resized to that target")
    }
    var region: PixelRect?
    if sizes.kept != sizes.scaled {
      let offset =
        try position.offset(of: sizes.kept, in: sizes.scaled)
        ?? EntropySearch(image, converter: context.converter, checkpoint: context.checkpoint)
        .offset(of: sizes.kept, in: sizes.scaled)
      region = sizes.keptRegion(of: image.size, left: offset.left, top: offset.top)
    }
    let isPadded = sizes.result != sizes.kept
    // Padding may begin between the pixels of a chroma sample: chroma is subsampled behind it.
    let resampled = try Resampler(kernel: kernel).resample(
      image, region: region, to: sizes.kept, chroma: isPadded ? ChromaSubsampling.none : context.wantedChroma,
      checkpoint: context.checkpoint)
    guard isPadded else { return resampled }
    return try resampled.padded(to: sizes.result, with: paddingColor(context), context: context)
  }

  private func paddingColor(_ context: TransformContext) -> Color {
    guard context.wanted.hasTransparency else {
      return (background ?? .transparent).composited(over: context.background)
    }
    return background ?? .transparent
  }
}
