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

  /// The form that a source's pixels should have in the end.
  func wantedForm(of probe: ImageProbe) -> PixelForm {
    encoder.acceptedForm(mayBeTransparent: probe.hasAlpha)
  }

  /// The form that decoded pixels should have: what the first stage that touches them takes.
  func firstForm(of probe: ImageProbe) -> PixelForm {
    transforms.first?.acceptedForm ?? wantedForm(of: probe)
  }
}
