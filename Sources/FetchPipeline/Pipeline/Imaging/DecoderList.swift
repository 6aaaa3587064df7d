/// A decoder and the options that every decoder has.
struct ConfiguredDecoder: Sendable {
  let decoder: any ImageDecoder
  let options: DecodeOptions
}

/// The decoders of a configuration, in the order in which they are asked.
struct DecoderList: Sendable {
  let all: [ConfiguredDecoder]
  /// What of them decides a picture's pixels: the options that are not the defaults. A decoder that is merely there, such
  /// as that of a plugin, makes no other picture than before.
  let fingerprint: Digest

  /// The named decoders first, then all others of the registry.
  init(_ configuration: PipelineConfiguration, registry: StageRegistry, context: StageContext) throws {
    let named = Set(configuration.decode.map(\.name))
    let others = registry.stages(in: DecodeSlot.self).filter { !named.contains($0.name) }
      .map { StageSelection($0.withDefaults()) }
    all = try (configuration.decode + others).map {
      ConfiguredDecoder(decoder: try $0.stage.make(in: context), options: $0.common)
    }
    var print = Fingerprint("decoding")
    for selection in configuration.decode.sorted(by: { $0.name < $1.name }) {
      let defaults = registry.stages(in: DecodeSlot.self).first { $0.name == selection.name }
      let standard = defaults.map { StageSelection($0.withDefaults()).json.compactText }
      if selection.json.compactText != standard { print.add(selection.name, selection.json.compactText) }
    }
    fingerprint = print.digest()
  }
}
