/// Bytes in, encoded pictures out: decodes once for all renditions, on a worker's thread.
final class Imaging: Sendable {
  /// The decoders, in the order in which they are asked.
  let decoders: DecoderList
  let renditions: [Rendition]
  let preparation: ImagePreparation
  let limits: Limits

  init(decoders: DecoderList, renditions: [Rendition], preparation: ImagePreparation, limits: Limits) {
    self.decoders = decoders
    self.renditions = renditions
    self.preparation = preparation
    self.limits = limits
  }

  /// The same for other pictures.
  func making(_ renditions: [Rendition]) -> Imaging {
    Imaging(decoders: decoders, renditions: renditions, preparation: preparation, limits: limits)
  }

  /// What a source became.
  struct Product: Sendable {
    var source: SourceDescription
    /// The bytes that the pictures were made of.
    var digest: ContentDigest
    var images: [EncodedImage] = []
    var flags: Set<ResultFlag> = []
    var timings = Timings()
  }

  /// How far an attempt came.
  enum Step: Sendable {
    case done(Product)
    /// The decoder at `decoder` needs that much memory, which is not free right now.
    case needsMemory(bytes: Int, decoder: Int)
  }

  /// A decoded source, with the memory that is reserved for what is still to be made of it.
  private struct Decoding {
    let image: PixelImage
    let probe: ImageProbe
    let checkpoint: DecodeCheckpoint
    let reservation: PixelReservation
  }

  /// Whether any decoder may take bytes that start like these.
  func accepts(_ prefix: SharedBytes) -> Bool {
    decoders.all.contains { $0.decoder.matches(prefix) }
  }

  /// Makes the renditions at `wanted`, beginning with the decoder at `first`.
  ///
  /// - Parameters:
  ///   - body: the source; it is let go as soon as it is decoded.
  ///   - reserve: memory for so many bytes if it is free, kept until the work is done.
  func attempt(
    on body: ReceivedBody, wanted: [Int], first: Int, worker: Worker, latch: CancellationLatch,
    reserve: (Int) -> PixelReservation?
  ) throws -> Step {
    var declined: DecoderDeclined?
    for index in candidates(for: body.bytes.prefix(64), from: first) {
      do {
        let session = worker.session(of: decoders.all[index].decoder, at: index)
        let (plan, probe, needed) = try self.plan(
          for: body.bytes, session: session, options: decoders.all[index].options)
        guard let reservation = reserve(needed) else { return .needsMemory(bytes: needed, decoder: index) }
        var product = Product(
          source: SourceDescription(
            format: probe.format, size: probe.size, byteCount: body.bytes.count, orientation: probe.orientation),
          digest: body.digest,
          flags: probe.frames > 1 ? probe.flags.union([.animated]) : probe.flags)
        let checkpoint = DecodeCheckpoint(cpuTime: limits.decodeTime) { latch.isCancelled }
        let decoded = try measure(&product.timings.decode) {
          try session.decode(body.bytes, probe: probe, plan: plan.decode, checkpoint: checkpoint)
        }
        if let damage = decoded.damage {
          // Whatever is missing may come with the next attempt, if it was the connection that lost it.
          if damage.code == .truncated, !body.isKnownComplete { throw damage }
          product.flags.insert(.damaged)
        }
        body.release()
        product.flags.formUnion(decoded.flags)
        let decoding = Decoding(
          image: decoded.image, probe: probe, checkpoint: checkpoint, reservation: reservation)
        for rendition in wanted { try make(rendition, of: decoding, worker: worker, into: &product) }
        return .done(product)
      } catch let refusal as DecoderDeclined {
        declined = refusal
      }
    }
    if let declined {
      throw PipelineError(.decode, .unsupportedFeature, "no decoder takes this picture: \(declined.reason)")
    }
    throw FormatSniffer.error(for: body.bytes, contentType: body.contentType, length: body.bytes.count)
  }

  private func candidates(for prefix: SharedBytes, from first: Int) -> [Int] {
    decoders.all.indices.dropFirst(first).filter { decoders.all[$0].decoder.matches(prefix) }
  }

  private func plan(
    for bytes: SharedBytes, session: any ImageDecoderSession, options: DecodeOptions
  ) throws -> (plan: ImagingPlan, probe: ImageProbe, neededBytes: Int) {
    let probe = try session.probe(bytes, limits: limits)
    try limits.check(probe.storedSize)
    try limits.check(probe)
    let plan = ImagingPlan(probe: probe, renditions: renditions, options: options, limits: limits)
    let (needed, overflow) = session.peakBytes(of: probe, plan: plan.decode)
      .addingReportingOverflow(plan.workingBytes)
    return (plan, probe, overflow ? Int.max : needed)
  }

  private func make(_ index: Int, of decoding: Decoding, worker: Worker, into product: inout Product) throws {
    let rendition = renditions[index]
    let checkpoint = decoding.checkpoint
    let context = TransformContext(
      wanted: rendition.wantedForm(of: decoding.probe), background: rendition.encoder.background,
      converter: preparation.pixels, checkpoint: checkpoint)
    var encoder = rendition.encoder
    let image = try measure(&product.timings.transform) {
      var image = decoding.image
      for transform in rendition.transforms {
        try checkpoint()
        Self.noteFlattening(of: image, to: transform.acceptedForm, in: &product.flags)
        image = try preparation.prepare(
          image, for: transform.acceptedForm, background: context.background, flags: &product.flags)
        image = try transform.apply(to: image, context: context)
      }
      encoder = try rendition.encoder.choice(for: image)
      let mayBeTransparent = image.alpha != .opaque
      let form = encoder.acceptedForm(mayBeTransparent: mayBeTransparent)
      Self.noteFlattening(of: image, to: form, in: &product.flags)
      return try preparation.prepare(image, for: form, background: encoder.background, flags: &product.flags)
    }
    guard let format = encoder.format(mayBeTransparent: image.alpha != .opaque) else {
      throw PipelineError(.encode, .encode, "the encoder does not say which format it makes")
    }
    let bytes = try measure(&product.timings.encode) {
      try worker.session(of: encoder, with: rendition.encoding, format: format).encode(image, checkpoint: checkpoint)
    }
    guard !bytes.isEmpty else {
      throw PipelineError(.encode, .encode, "the encoder has made a file without bytes")
    }
    product.images.append(
      EncodedImage(
        rendition: rendition.name, recipe: rendition.recipe, format: format, size: image.size, bytes: bytes))
  }

  /// Says where a stage that takes no transparency costs some.
  private static func noteFlattening(of image: PixelImage, to form: PixelForm, in flags: inout Set<ResultFlag>) {
    if image.alpha != .opaque, form.alpha == [.opaque], image.hasTransparentPixels { flags.insert(.alphaFlattened) }
  }

  private func measure<Result>(_ time: inout Duration, _ work: () throws -> Result) rethrows -> Result {
    let start = ContinuousClock.now
    defer { time += ContinuousClock.now - start }
    return try work()
  }
}
