import FetchPipeline

/// Keeps a part of a picture: a rectangle, or the largest one of a shape.
///
/// Nothing is copied: the part is a window on the same samples, so that a resize behind it works from all the detail there
/// is.
public struct Crop: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "crop"
  /// What it does, in a sentence.
  public static let summary = "keeps a part of the picture"

  /// The distance of the part from the left edge.
  public var left = CropLength.pixels(0)
  /// The distance of the part from the top edge.
  public var top = CropLength.pixels(0)
  /// The part's width; nil for up to the right edge.
  public var width: CropLength?
  /// The part's height; nil for up to the bottom edge.
  public var height: CropLength?
  /// The shape of the part, in place of a rectangle.
  public var aspect: AspectRatio?
  /// Where the largest part of that shape is.
  public var position = CropPosition.center

  /// A crop that keeps everything.
  public init() {}

  /// A rectangle, clamped to the picture.
  public init(
    left: CropLength = .pixels(0), top: CropLength = .pixels(0), width: CropLength? = nil, height: CropLength? = nil
  ) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  /// The largest part of a shape.
  public init(aspect: AspectRatio, position: CropPosition = .center) {
    self.aspect = aspect
    self.position = position
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Crop>] = [
    .init("left", \.left, "distance from the left edge, in pixels or per cent of the width"),
    .init("top", \.top, "distance from the top edge, in pixels or per cent of the height"),
    .init(
      "width", \.width, "width of the part, in pixels or per cent; by default up to the right edge", check: notNothing),
    .init(
      "height", \.height, "height of the part, in pixels or per cent; by default up to the bottom edge",
      check: notNothing),
    .init("aspect", \.aspect, "the largest part of that shape, as \"16:9\", in place of a rectangle"),
    .init("position", \.position, "where the part of that shape is; entropy: where most is to be seen"),
  ]

  private static let notNothing: @Sendable (CropLength?) -> String? = { length in
    length == .pixels(0) || length == .percentMillionths(0) ? "nothing is left of a part without a side" : nil
  }

  /// Notes what only several options together make wrong.
  public func validate(in scope: ConfigurationScope) {
    let isRectangle = left != .pixels(0) || top != .pixels(0) || width != nil || height != nil
    if aspect != nil, isRectangle {
      scope.member("aspect").report("\"aspect\" excludes \"left\", \"top\", \"width\" and \"height\"")
    }
    if aspect == nil, position != .center {
      scope.member("position").report("\"position\" says where a part of a shape is, and there is no \"aspect\"")
    }
    if aspect == nil, !isRectangle {
      scope.report("the part is missing: \"left\", \"top\", \"width\", \"height\" or \"aspect\"")
    }
  }

  /// The transform with these options.
  public func make(in context: StageContext) -> any ImageTransform { self }

  // MARK: Planning

  /// The size of the part; nil where nothing is left.
  public func outputSize(for input: PixelSize) -> PixelSize? {
    if let aspect { return aspect.largest(in: input) }
    return rectangle(in: input)?.size
  }

  /// What is needed of the picture: all that the part of the result is made of.
  public func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    var demand = output
    if let aspect {
      guard let size = aspect.largest(in: input), let offset = position.offset(of: size, in: input) else {
        return PixelDemand(region: PixelRect(input), scale: output.scale)
      }
      demand.region.x += Double(offset.left)
      demand.region.y += Double(offset.top)
    } else if let part = rectangle(in: input) {
      demand.region.x += Double(part.left)
      demand.region.y += Double(part.top)
    }
    return demand
  }

  /// The rectangle as far as it lies in a picture of that size; nil for none of it.
  private func rectangle(in input: PixelSize) -> (left: Int, top: Int, size: PixelSize)? {
    func side(_ start: CropLength, _ length: CropLength?, of whole: Int) -> (start: Int, length: Int)? {
      guard let start = start.pixels(of: whole), start < whole else { return nil }
      guard let length else { return (start, whole - start) }
      return length.pixels(of: whole).map { (start, min(max($0, 1), whole - start)) }
    }
    guard let across = side(left, width, of: input.width), let down = side(top, height, of: input.height) else {
      return nil
    }
    return (across.start, down.start, PixelSize(width: across.length, height: down.length))
  }

  /// Anything.
  public var acceptedForm: PixelForm { .anything }

  /// Adds every option.
  public func fingerprint(into print: inout Fingerprint) {
    print.add("left", optional: left)
    print.add("top", optional: top)
    print.add("width", optional: width)
    print.add("height", optional: height)
    print.add("aspectWidth", optional: aspect?.width)
    print.add("aspectHeight", optional: aspect?.height)
    print.add("position", position.rawValue)
  }

  // MARK: Work

  /// The part.
  ///
  /// - Throws: `transform` where nothing is left.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    let (left, top, size) = try part(of: image, context: context)
    return try image.cropped(left: left, top: top, size: size)
  }

  private func part(
    of image: PixelImage, context: TransformContext
  ) throws -> (left: Int, top: Int, size: PixelSize) {
    guard let aspect else {
      guard let part = rectangle(in: image.size) else {
        throw PipelineError(.transform, .transform, "nothing is left: the part lies outside a picture of \(image.size)")
      }
      return part
    }
    guard let size = aspect.largest(in: image.size) else {
      throw PipelineError(.transform, .transform, "a picture of \(image.size) cannot be cropped")
    }
    if let offset = position.offset(of: size, in: image.size) { return (offset.left, offset.top, size) }
    let search = try EntropySearch(image, converter: context.converter, checkpoint: context.checkpoint)
    let offset = search.offset(of: size, in: image.size)
    return (offset.left, offset.top, size)
  }
}
