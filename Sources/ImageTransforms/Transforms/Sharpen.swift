import FetchPipeline

/// Sharpens a picture by an unsharp mask: adds to each pixel's colours what its luma differs by from the blurred luma.
///
/// Only luma is looked at, so that colours do not shift and the result does not depend on the layout; of CMYK each ink is
/// sharpened for itself. Works on what is stored, however sparse; premultiplied alpha becomes straight.
public struct Sharpen: Stage, ImageTransform, Hashable {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "sharpen"
  /// What it does, in a sentence.
  public static let summary = "sharpens the picture"

  /// The standard deviation of the blur, in pixels of the result.
  public var sigma = 1.0
  /// How many times the difference is added.
  public var amount = 1.0
  /// Differences below so many levels of 255 are left alone.
  public var threshold = 0.0

  /// A standard deviation of 1 pixel, the difference added once.
  public init() {}

  /// An unsharp mask: `sigma` 0.1…250 pixels, `amount` 0…20, `threshold` 0…255 levels.
  public init(sigma: Double, amount: Double = 1, threshold: Double = 0) {
    self.sigma = sigma
    self.amount = amount
    self.threshold = threshold
  }

  /// The options, in the order in which they are shown.
  public static let options: [OptionDeclaration<Sharpen>] = [
    .init("sigma", \.sigma, in: 0.1...250, "standard deviation of the blur, in pixels of the result", required: true),
    .init("amount", \.amount, in: 0...20, "how many times the difference to the blurred picture is added"),
    .init("threshold", \.threshold, in: 0...255, "differences below so many levels of 255 are left alone"),
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
  public func fingerprint(into print: inout Fingerprint) {
    print.add("sigma", sigma)
    print.add("amount", amount)
    print.add("threshold", threshold)
  }

  /// The transformed picture.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    var image = try image.trimmed()
    if image.alpha == .premultiplied { image = try image.withAlphaState(.straight) }
    // In 16 bits, since what is rounded off the blurred picture would be multiplied by the amount.
    let mask = try image.sharpeningMask().converted(to: .sixteen)
    let blurred = try GaussianFilter(sigma: sigma).apply(to: mask, checkpoint: context.checkpoint)
    let sharpening = UnsharpMask(amount: Float(amount), threshold: Float(threshold * 257))
    var result = image
    switch image.depth {
    case .eight: try sharpening.apply(to: &result, UInt8.self, mask: mask, blurred: blurred)
    case .sixteen: try sharpening.apply(to: &result, UInt16.self, mask: mask, blurred: blurred)
    }
    return result
  }
}

extension PixelImage {
  /// What is blurred to sharpen a picture: its luma beside its alpha, or all inks.
  fileprivate func sharpeningMask() throws -> PixelImage {
    switch layout {
    case .gray, .grayAlpha, .cmyk: return self
    case .rgb, .rgba: return try rgbAsGray()
    case .yCbCr:
      var luma = self
      // The samples as they are: a difference needs no range.
      luma.range = .full
      return try luma.lumaAsGray()
    }
  }
}

/// Adds differences to colours.
private struct UnsharpMask {
  let amount: Float
  /// In levels of 65,535.
  let threshold: Float

  func apply<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    to image: inout PixelImage, _ type: Sample.Type, mask: PixelImage, blurred: PixelImage
  ) throws {
    let size = image.planes[0].size
    let channels = image.layout.channels
    let colors = image.layout.hasAlpha ? channels - 1 : channels
    let maskChannels = mask.layout.channels
    let perChannel = image.layout == .cmyk
    let most = Float(Sample.max)
    let factor = amount * most / Float(UInt16.max)
    try image.withMutableSamples(type, ofPlane: 0) { samples in
      mask.withSamples(UInt16.self, ofPlane: 0) { mask in
        blurred.withSamples(UInt16.self, ofPlane: 0) { blurred in
          for y in 0..<size.height {
            var pixel = samples.row(y)
            var (sharp, soft) = (mask.row(y), blurred.row(y))
            for _ in 0..<size.width {
              for channel in 0..<colors {
                let source = perChannel ? channel : 0
                let difference = Float(sharp[source]) - Float(soft[source])
                guard abs(difference) >= threshold else { continue }
                let value = Float(pixel[channel]) + difference * factor + 0.5
                // Within the samples' range, which an Int32 holds.
                pixel[channel] = Sample(truncatingIfNeeded: Int32(value < 0 ? 0 : value > most ? most : value))
              }
              pixel += channels
              sharp += maskChannels
              soft += maskChannels
            }
          }
        }
      }
    }
  }
}
