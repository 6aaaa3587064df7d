/// The options of every decoder.
public struct DecodeOptions: OptionsDeclaring {
  /// How many times the target's size a scaled decode keeps at least, so that the resize has something to filter.
  public var margin = 1.5

  /// The defaults.
  public init() {}

  /// Its options.
  public static let options: [OptionDeclaration<DecodeOptions>] = [
    .init(
      "margin", \.margin, in: 1...8,
      "decode-time scaling keeps at least so many times the target size; more is slower and hardly better")
  ]
}
