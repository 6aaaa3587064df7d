/// How much of a picture is wanted, and in which form: what lets a decoder skip work.
public struct DecodePlan: Sendable, Hashable {
  /// The fraction of the stored size, in each direction, below which the result is no longer good enough; 1 for all of
  /// it. A decoder gives at least so much, and may give more.
  public var scale: Double
  /// The part of the stored picture that is wanted, in its full-size pixels; nil for all. A decoder gives at least that,
  /// and says by the windows of the planes what it gave: they always stand for all of `region`, or of the picture.
  public var region: PixelRect?
  /// The layouts that the next step can take, best first; a decoder gives one of them if it can do so cheaply, else its
  /// own.
  public var layouts: [PixelLayout]
  /// What is refused.
  public var limits: Limits

  /// A plan.
  public init(
    scale: Double = 1, region: PixelRect? = nil, layouts: [PixelLayout] = PixelLayout.allCases,
    limits: Limits = Limits()
  ) {
    self.scale = scale
    self.region = region
    self.layouts = layouts
    self.limits = limits
  }
}
