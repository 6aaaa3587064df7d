/// How much of a picture is wanted, and in which form: what lets a decoder skip work.
public struct DecodePlan: Sendable, Hashable {
  /// The fraction of the stored size, in each direction, below which the result is no longer good enough; 1 for all of
  /// it. A decoder gives at least so much, and may give more.
  public var scale: Double
  /// The part of the stored picture that is wanted, in its full-size pixels; nil for all. A decoder may leave out what lies
  /// beyond it. The windows of the planes stand for the whole picture all the same, and then reach beyond what is stored.
  public var region: PixelRect?
  /// The layouts that the next step can take, best first; a decoder gives one of them if it can do so cheaply, else its
  /// own.
  public var layouts: [PixelLayout]
  /// What becomes of a picture of which pixels are missing or broken.
  public var onDamage: DamagePolicy
  /// What is refused.
  public var limits: Limits

  /// A plan.
  public init(
    scale: Double = 1, region: PixelRect? = nil, layouts: [PixelLayout] = PixelLayout.allCases,
    onDamage: DamagePolicy = .reject, limits: Limits = Limits()
  ) {
    self.scale = scale
    self.region = region
    self.layouts = layouts
    self.onDamage = onDamage
    self.limits = limits
  }
}
