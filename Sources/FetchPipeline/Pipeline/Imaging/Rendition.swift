/// One of the pictures that are made of each source: a chain of transforms, and an encoder.
struct Rendition: Sendable {
  /// The name; empty where there is one without a name.
  let name: String
  let transforms: [any ImageTransform]
  let encoder: any ImageEncoder
  /// The fingerprint of everything that decides the picture's bytes beside the source's.
  let recipe: Digest

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
      print.add("transform", String(describing: type(of: transform)))
      transform.fingerprint(into: &print)
    }
    print.add("encoder", String(describing: type(of: encoder)))
    encoder.fingerprint(into: &print)
    recipe = print.digest()
  }

  /// The renditions of a configuration: those that it names, or the one that its `transform` and `encode` make.
  static func all(
    of configuration: PipelineConfiguration, decoding: Digest, context: StageContext
  ) throws -> [Rendition] {
    func make(
      _ name: String, _ transform: [StageSelection<TransformSlot>], _ encode: StageSelection<EncodeSlot>?
    ) throws -> Rendition {
      guard let encode else {
        throw ConfigurationError(
          file: nil, problems: [ConfigurationProblem(path: "encode", message: "an encoder is needed")])
      }
      return Rendition(
        name: name, transforms: try transform.map { try $0.stage.make(in: context) },
        encoder: try encode.stage.make(in: context), decoding: decoding)
    }
    guard configuration.renditions.isEmpty else {
      return try configuration.renditions.map { try make($0.name, $0.transform, $0.encode) }
    }
    return [try make("", configuration.transform, configuration.encode)]
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
