/// One of the pictures that are made of each source: a chain of transforms, and an encoder.
struct Rendition: Sendable {
  /// The name; empty where there is one without a name.
  let name: String
  let transforms: [any ImageTransform]
  let encoder: any ImageEncoder
  /// The fingerprint of everything that decides the picture's bytes beside the source's.
  let recipe: Digest
  /// The fingerprint of the encoder with its options alone.
  let encoding: Digest

  /// - Parameter decoding: the fingerprint of the decoders and their options.
  init(name: String, transforms: [any ImageTransform], encoder: any ImageEncoder, decoding: Digest) {
    self.name = name
    self.transforms = transforms
    self.encoder = encoder
    var print = Fingerprint("recipe")
    print.add("revision", PipelineVersion.codecRevision)
    print.add("decoding", decoding)
    print.add("transforms", transforms.count)
    for transform in transforms {
      print.add("transform", Fingerprint.name(of: type(of: transform)))
      transform.fingerprint(into: &print)
    }
    Self.add(encoder, to: &print)
    recipe = print.digest()
    var own = Fingerprint("encoding")
    Self.add(encoder, to: &own)
    encoding = own.digest()
  }

  private static func add(_ encoder: any ImageEncoder, to print: inout Fingerprint) {
    print.add("encoder", Fingerprint.name(of: type(of: encoder)))
    encoder.fingerprint(into: &print)
  }

  /// The renditions of a configuration: those that it names, or the one that its `transform` and `encode` make.
  static func all(
    of configuration: PipelineConfiguration, decoding: Digest, context: StageContext
  ) throws -> [Rendition] {
    guard configuration.renditions.isEmpty else {
      return try configuration.renditions.map { rendition in
        var rendition = rendition
        rendition.encode = rendition.encode ?? configuration.encode
        return try Rendition(rendition, decoding: decoding, context: context)
      }
    }
    var only = RenditionConfiguration()
    (only.transform, only.encode) = (configuration.transform, configuration.encode)
    return [try Rendition(only, decoding: decoding, context: context)]
  }

  /// A rendition as a configuration describes it.
  init(_ configuration: RenditionConfiguration, decoding: Digest, context: StageContext) throws {
    guard let encode = configuration.encode else {
      throw ConfigurationError(
        file: nil, problems: [ConfigurationProblem(path: "encode", message: "an encoder is needed")])
    }
    self.init(
      name: configuration.name, transforms: try configuration.transform.map { try $0.stage.make(in: context) },
      encoder: try encode.stage.make(in: context), decoding: decoding)
  }

  /// The form that a source's pixels should have in the end.
  func wantedForm(of probe: ImageProbe) -> PixelForm {
    encoder.acceptedForm(mayBeTransparent: probe.hasAlpha || transforms.contains(where: \.mayAddTransparency))
  }

  /// The form that decoded pixels should have: what the first stage that touches them takes.
  func firstForm(of probe: ImageProbe) -> PixelForm {
    transforms.first?.acceptedForm ?? wantedForm(of: probe)
  }
}
