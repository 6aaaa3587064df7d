/// The options of every decoder.
public struct DecodeOptions: OptionsDeclaring {
  /// How many times the target's size a scaled decode keeps at least, so that the resize has something to filter.
  public var margin = 1.5
  /// What becomes of a picture of which pixels are missing or broken.
  public var onDamage = DamagePolicy.reject

  /// The defaults.
  public init() {}

  /// Its options.
  public static let options: [OptionDeclaration<DecodeOptions>] = [
    .init(
      "margin", \.margin, in: 1...8,
      "decode-time scaling keeps at least so many times the target size; more is slower and hardly better"),
    .init(
      "onDamage", \.onDamage,
      "a picture of which pixels are missing or broken fails, or what is left of it is kept and flagged damaged: where "
        + "nothing came it is transparent, or mid-grey if it is opaque"),
  ]
}
