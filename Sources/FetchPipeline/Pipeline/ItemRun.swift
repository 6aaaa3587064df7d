/// The way of one item through the pipeline, from its row to its result.
struct ItemRun: Sendable {
  let assembly: RequestAssembly
  let fetcher: Fetcher
  let imaging: Imaging
  let workers: WorkerPool
  let budget: MemoryBudget
  let output: any ImageOutput
  let store: any ReceiptStore
  let coalescer: Coalescer<ResourceKey, Shared>
  let negativeLifetime: Duration
  /// The fingerprint of everything under which a failure is believed: all recipes and the limits.
  let failureRecipe: Digest

  /// What those learn who asked for the same as another at the same time.
  enum Shared: Sendable {
    /// The store knows what became of it.
    case settled
    /// It was given up, because the run ends.
    case abandoned
  }

  /// The result of an item. Throws what ends the run, `CancellationError` among it.
  func result(of item: SourceItem, deadlines: ItemDeadlines, number: Int) async throws -> ImageResult {
    let start = ContinuousClock.now
    var result: ImageResult
    do {
      let request = try item.request.get()
      let http = try assembly.request(for: request)
      let place = OutputItem(id: item.id, row: item.row, url: request.url, key: ResourceKey(http))
      result = try await self.result(of: item, at: place, request: http, deadlines: deadlines, number: number)
    } catch let error as PipelineError where !error.endsRun {
      result = ImageResult(of: item, status: .failed, error: error)
    }
    result.timings.total = .now - start
    return result
  }

  private func result(
    of item: SourceItem, at place: OutputItem, request: HTTPRequest, deadlines: ItemDeadlines, number: Int
  ) async throws -> ImageResult {
    while true {
      switch await coalescer.join(place.key) {
      case .lead:
        do {
          let result = try await lead(item, at: place, request: request, deadlines: deadlines, number: number)
          coalescer.finish(place.key, .settled)
          return result
        } catch {
          coalescer.finish(place.key, .abandoned)
          throw error
        }
      case .follow(.settled): continue  // and find it in the store
      case .follow(.abandoned): throw CancellationError()
      }
    }
  }

  private func lead(
    _ item: SourceItem, at place: OutputItem, request: HTTPRequest, deadlines: ItemDeadlines, number: Int
  ) async throws -> ImageResult {
    let known = try store.receipt(for: place.key)
    var standing: [StoredImage] = []
    if let known {
      let candidates = imaging.renditions.flatMap { rendition in
        known.images.filter { $0.recipe == rendition.recipe }.map { image in
          var image = image
          image.rendition = rendition.name
          return image
        }
      }
      standing = try await output.reuse(candidates, for: place).images
    }
    let missing = imaging.renditions.indices.filter { index in
      !standing.contains { $0.recipe == imaging.renditions[index].recipe }
    }
    if let known, missing.isEmpty { return try await stood(item, known: known, images: standing) }
    if let failure = try store.failure(for: place.key, recipe: failureRecipe), isBelieved(failure) {
      var result = ImageResult(of: item, status: .failed, error: failure.error)
      result.exchange = failure.exchange
      result.isRemembered = failure.run != store.run
      return result
    }
    return try await make(
      missing, for: item, at: place, standing: standing, request: request, deadlines: deadlines, number: number)
  }

  /// The result of an item whose pictures are all there: from an earlier run, or made for another row of this one.
  private func stood(_ item: SourceItem, known: Receipt, images: [StoredImage]) async throws -> ImageResult {
    if images.contains(where: { !known.images.contains($0) }) {
      var extended = known
      extended.images = images
      try await store.record(extended)
    }
    var result = ImageResult(of: item, status: known.run == store.run ? .ok : .skipped)
    result.source = known.source
    result.exchange = known.run == store.run ? known.exchange : nil
    result.flags = known.flags
    result.outputs = ordered(images)
    return result
  }

  private func isBelieved(_ failure: RememberedFailure) -> Bool {
    if failure.run == store.run { return true }
    if failure.error.isTransient { return false }
    if failure.error.code == .httpStatus, failure.error.httpStatus == 404 || failure.error.httpStatus == 410 {
      return WallClock.now < failure.time + negativeLifetime.inSeconds
    }
    return true
  }

  private func make(
    _ missing: [Int], for item: SourceItem, at place: OutputItem, standing: [StoredImage], request: HTTPRequest,
    deadlines: ItemDeadlines, number: Int
  ) async throws -> ImageResult {
    let trace = FetchTrace(request.url) { deadlines.start(number) }
    do {
      let clock = ContinuousClock()
      let fetchStart = clock.now
      let fetched = try await fetcher.fetch(request, trace: trace)
      let fetchTime = clock.now - fetchStart
      var product = try await image(fetched.body, wanted: missing)
      if fetched.isRedirected { product.flags.insert(.redirected) }
      product.timings.fetch = fetchTime
      let writeStart = clock.now
      let written = try await output.write(product.images, for: place)
      if written.isRenamed { product.flags.insert(.renamed) }
      try await store.record(
        Receipt(
          key: place.key, run: store.run, source: product.source, exchange: fetched.exchange, flags: product.flags,
          images: written.images))
      product.timings.write = clock.now - writeStart
      var result = ImageResult(of: item, status: .ok)
      result.source = product.source
      result.exchange = fetched.exchange
      result.flags = product.flags
      result.outputs = ordered(standing + written.images)
      result.timings = product.timings
      return result
    } catch {
      let reason = try self.reason(for: error, hasExpired: deadlines.hasExpired(number))
      let exchange = trace.hasBegun ? trace.description : nil
      try await store.record(
        RememberedFailure(
          key: place.key, recipe: failureRecipe, run: store.run, error: reason, exchange: exchange,
          time: WallClock.now))
      var result = ImageResult(of: item, status: .failed, error: reason)
      result.exchange = exchange
      return result
    }
  }

  private func image(_ body: ReceivedBody, wanted: [Int]) async throws -> Imaging.Product {
    let size = body.bytes.count
    var reservation: PixelReservation?
    var first = 0
    while true {
      let held = reservation
      let start = first
      let step = try await workers.run { worker, latch in
        body.begin()
        do {
          return try imaging.attempt(on: body, wanted: wanted, first: start, worker: worker, latch: latch) { needed in
            if let held, held.bytes >= needed { return held }
            return budget.pixelsAtOnce(needed, body: size)
          }
        } catch let error as PipelineError where error.code == .truncated && !body.isKnownComplete {
          throw PipelineError(
            .transport, .bodyTruncated, "the connection ended before the picture did: \(error.message)")
        }
      }
      switch step {
      case .done(let product): return product
      case .needsMemory(let bytes, let decoder):
        reservation = nil
        reservation = try await budget.pixels(bytes, body: size)
        first = decoder
      }
    }
  }

  /// What an item failed for; throws what is no failure of the item but ends the run.
  private func reason(for error: any Error, hasExpired: Bool) throws -> PipelineError {
    if error is CancellationError || (error as? PipelineError)?.code == .cancelled {
      guard hasExpired else { throw error }
      return PipelineError(
        .transport, .timeout, "the item took more than \(imaging.limits.itemTime.inSeconds) s (limits.itemTime)")
    }
    let reason = PipelineError(error, at: .plugin)
    if reason.endsRun { throw reason }
    return reason
  }

  /// In the order of the configuration.
  private func ordered(_ images: [StoredImage]) -> [StoredImage] {
    imaging.renditions.compactMap { rendition in images.first { $0.recipe == rendition.recipe } }
  }
}

extension PipelineError {
  /// Whether the error is not one of the item: the disk is full, and every other item would fail as well.
  var endsRun: Bool { code == .diskFull || code == .cancelled }
}
