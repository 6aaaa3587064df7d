/// The way of one item through the pipeline, from its row to its result.
///
/// It, and what it hands around, are objects and not values, as hundreds of rows wait at a time: each of the functions in
/// which they wait would keep copies.
final class ItemRun: Sendable {
  let assembly: RequestAssembly
  let maker: PictureMaker
  let output: any ImageOutput
  let store: any ReceiptStore
  let coalescer = Coalescer<ResourceKey, Shared>()
  let options: RunOptions
  let attempts: AttemptLimit
  let negativeLifetime: Duration
  /// The fingerprint of everything under which a failure is believed: all recipes and the limits.
  let failureRecipe: Digest
  /// Whether results have the header fields of answers.
  let reportsHeaders: Bool
  let observer: any PipelineObserver

  init(
    assembly: RequestAssembly, maker: PictureMaker, output: any ImageOutput, store: any ReceiptStore,
    options: RunOptions, attempts: AttemptLimit, negativeLifetime: Duration, failureRecipe: Digest,
    reportsHeaders: Bool, observer: any PipelineObserver
  ) {
    self.assembly = assembly
    self.maker = maker
    self.output = output
    self.store = store
    self.options = options
    self.attempts = attempts
    self.negativeLifetime = negativeLifetime
    self.failureRecipe = failureRecipe
    self.reportsHeaders = reportsHeaders
    self.observer = observer
  }

  private var imaging: Imaging { maker.imaging }

  /// What those learn who asked for the same as another at the same time.
  enum Shared: Sendable {
    /// The store knows what became of it.
    case settled
    /// It was given up, because the run ends.
    case abandoned
  }

  /// A row under way.
  final class Item: Sendable {
    let row: SourceItem
    /// Where its pictures go, and what names its source.
    let place: OutputItem
    /// What is sent; nil for what is here already.
    let request: HTTPRequest?
    let deadline: ItemDeadline
    /// When the row was taken.
    let time = WallClock.now

    init(row: SourceItem, place: OutputItem, request: HTTPRequest?, deadline: ItemDeadline) {
      self.row = row
      self.place = place
      self.request = request
      self.deadline = deadline
    }
  }

  /// The result of a row; nil where it belongs to another share. Throws what ends the run, `CancellationError` among it,
  /// and `AttemptLimitReached`.
  func result(of row: SourceItem, deadline: ItemDeadline) async throws -> ImageResult? {
    let start = ContinuousClock.now
    var result: ImageResult
    var hasStarted = false
    func tellOfStart() {
      observer.observe(.started(id: row.id, url: ResourceURL.redacted(row.text)))
      hasStarted = true
    }
    do {
      let (location, request, key) = try identify(row)
      if let shard = options.shard, !shard.contains(location: location, key: key, text: row.text) { return nil }
      tellOfStart()
      let place = OutputItem(id: row.id, row: row.row, location: location, key: key)
      result = try await self.result(of: Item(row: row, place: place, request: request, deadline: deadline))
    } catch let error as PipelineError where !error.endsRun {
      if let shard = options.shard, !shard.contains(location: nil, key: nil, text: row.text) { return nil }
      // Each row that ends has begun.
      if !hasStarted { tellOfStart() }
      result = ImageResult(of: row, status: .failed, error: error)
      result.timings.total = .now - start
    }
    observer.observe(.finished(result))
    return result
  }

  private func identify(_ row: SourceItem) throws -> (ResourceLocation, HTTPRequest?, ResourceKey) {
    let wanted = try row.request.get()
    guard case .url(let url) = wanted.location else {
      return (wanted.location, nil, ResourceKey(local: wanted.location))
    }
    var request = try assembly.request(for: wanted, at: url)
    let key = ResourceKey(request)
    if options.revalidates { request.cache = .noCache }
    return (wanted.location, request, key)
  }

  private func result(of item: Item) async throws -> ImageResult {
    while true {
      switch await coalescer.join(item.place.key) {
      case .lead:
        do {
          let start = ContinuousClock.now
          var result = try await lead(item)
          // As `limits.itemTime` counts it; what nothing was fetched for has no such time.
          result.timings.total = item.deadline.elapsed ?? .now - start
          coalescer.finish(item.place.key, .settled)
          return result
        } catch {
          coalescer.finish(item.place.key, .abandoned)
          throw error
        }
      case .follow(.settled): continue  // and find it in the store
      case .follow(.abandoned): throw CancellationError()
      }
    }
  }

  // MARK: What is known already

  private func lead(_ item: Item) async throws -> ImageResult {
    let known = try store.receipt(for: item.place.key)
    // What this run has made, or has heard to be still what there is.
    let isSettled = known.map { $0.run == store.run || $0.confirmation == store.run } ?? false
    let standing =
      options.isFresh && !isSettled ? WrittenImages(images: []) : try await self.standing(known, for: item)
    let missing = imaging.renditions.indices.filter { index in
      !standing.images.contains { $0.isOf(imaging.renditions[index]) }
    }
    if let known, missing.isEmpty, isSettled || !options.revalidates {
      // A row that repeats one of this run is one of those that were asked for.
      if known.run == store.run, !attempts.take() { throw AttemptLimitReached() }
      return try await stood(item, known: known, as: standing)
    }
    if let failure = try store.failure(for: item.place.key, recipe: failureRecipe),
      isBelieved(failure, for: item)
    {
      if failure.run == store.run, !attempts.take() { throw AttemptLimitReached() }
      var result = ImageResult(of: item.row, status: .failed, error: failure.error)
      result.exchange = failure.exchange
      result.isRemembered = failure.run != store.run
      result.isRepeated = failure.run == store.run
      return result
    }
    guard attempts.take() else { throw AttemptLimitReached() }
    if options.isDryRun {
      var result = ImageResult(of: item.row, status: .ok)
      result.isRemade = known != nil
      return result
    }
    // What is asked for again is made again as a whole, so that all its pictures are of one source.
    let isAnew = !isSettled && (options.isFresh || options.revalidates)
    return try await make(
      isAnew ? Array(imaging.renditions.indices) : missing, for: item, known: known,
      standing: isAnew ? WrittenImages(images: []) : standing)
  }

  /// The pictures of a receipt that stand under this item's names.
  private func standing(_ known: Receipt?, for item: Item) async throws -> WrittenImages {
    guard let known else { return WrittenImages(images: []) }
    let candidates = imaging.renditions.flatMap { rendition in
      known.images.filter { $0.recipe == rendition.recipe }.map { image in
        var image = image
        image.rendition = rendition.name
        return image
      }
    }
    if options.isDryRun { return WrittenImages(images: candidates.filter(output.stands)) }
    return try await output.reuse(candidates, for: item.place)
  }

  /// The result of an item whose pictures are all there: from an earlier run, or made for another row of this one.
  private func stood(_ item: Item, known: Receipt, as standing: WrittenImages) async throws -> ImageResult {
    if standing.images.contains(where: { !known.images.contains($0) }), !options.isDryRun {
      var extended = known
      extended.images = standing.images
      try await store.record(extended)
    }
    var result = ImageResult(of: item.row, status: known.run == store.run ? .ok : .skipped)
    result.isRepeated = known.run == store.run || known.confirmation == store.run
    result.source = known.source
    result.exchange = result.isRepeated ? known.exchange : nil
    result.flags = standing.isRenamed ? known.flags.union([.renamed]) : known.flags
    result.outputs = ordered(standing.images)
    return result
  }

  private func isBelieved(_ failure: RememberedFailure, for item: Item) -> Bool {
    // That nothing was stored says nothing of the origin.
    if failure.error.code == .notCached, item.request?.cache != .onlyIfCached { return false }
    if failure.run == store.run {
      return !(options.triesRepeatedRows && failure.error.isTransient && failure.time < item.time)
    }
    switch options.retryFailed {
    case .none: return true
    case .all: return false
    case .transient: break
    }
    // What is not on this machine costs nothing to look for again.
    let isOfThisMachine = failure.error.code == .notCached || failure.error.code == .notFound
    if options.isFresh || failure.error.isTransient || isOfThisMachine { return false }
    if failure.error.code == .httpStatus, failure.error.httpStatus == 404 || failure.error.httpStatus == 410 {
      return WallClock.now < failure.time + negativeLifetime.inSeconds
    }
    return true
  }

  // MARK: Making

  private func make(
    _ wanted: [Int], for item: Item, known: Receipt?, standing: WrittenImages
  ) async throws -> ImageResult {
    let trace = FetchTrace { item.deadline.note($0) }
    do {
      // What was made once is made again, or otherwise, of the bytes that are still there, however old they are.
      let fetched = try await maker.fetch(
        item.place.location, request: item.request,
        remaking: known != nil && !options.isFresh && !options.revalidates, trace: trace)
      var (wanted, standing) = (wanted, standing)
      if let known {
        if try await maker.digest(of: fetched) != known.digest {
          // What stands was made of other bytes, and all pictures of an item are of the same.
          (wanted, standing) = (Array(imaging.renditions.indices), WrittenImages(images: []))
        } else if options.revalidates, let confirmed = try await self.confirmed(item, known, by: fetched) {
          return confirmed
        }
      }
      let made = try await maker.make(wanted, of: fetched, at: item.place.location, fetchedIn: trace.elapsed)
      let product = made.product
      let writeStart = ContinuousClock.now
      let written = try await output.write(product.images, for: item.place)
      try await store.record(
        Receipt(
          key: item.place.key, run: store.run, source: product.source, digest: product.digest,
          exchange: made.exchange, flags: product.flags, images: written.images))
      var result = ImageResult(of: item.row, status: .ok)
      result.isRemade = known.map { $0.run != store.run } ?? false
      result.source = product.source
      result.exchange = made.exchange
      if reportsHeaders { result.headers = made.headers }
      result.flags = product.flags
      if standing.isRenamed || written.isRenamed { result.flags.insert(.renamed) }
      result.outputs = ordered(standing.images + written.images)
      result.timings = product.timings
      result.timings.write = .now - writeStart
      return result
    } catch {
      let reason = try self.reason(for: error, hasExpired: item.deadline.hasExpired)
      let exchange = trace.description
      try await store.record(
        RememberedFailure(
          key: item.place.key, recipe: failureRecipe, run: store.run, error: reason, exchange: exchange,
          time: WallClock.now))
      var result = ImageResult(of: item.row, status: .failed, error: reason)
      result.exchange = exchange
      return result
    }
  }

  /// The result of an item whose origin has confirmed the bytes of which all its pictures were made; nil where it has not,
  /// or where one is missing.
  private func confirmed(_ item: Item, _ known: Receipt, by fetched: Fetcher.Fetched) async throws -> ImageResult? {
    guard fetched.exchange?.cache == .revalidated else { return nil }
    let standing = try await self.standing(known, for: item)
    guard ordered(standing.images).count == imaging.renditions.count else { return nil }
    var confirmed = known
    confirmed.confirmation = store.run
    confirmed.exchange = fetched.exchange
    confirmed.images = standing.images
    try await store.record(confirmed)
    var result = try await stood(item, known: confirmed, as: standing)
    result.isRepeated = false
    return result
  }

  /// What an item failed for; throws what is no failure of the item but ends the run.
  private func reason(for error: any Error, hasExpired: Bool) throws -> PipelineError {
    if error is CancellationError || (error as? PipelineError)?.code == .cancelled {
      if hasExpired { return PipelineError.outOfTime("the item", limit: imaging.limits.itemTime) }
      if error is CancellationError, !Task.isCancelled { return .gaveUp }
      throw error
    }
    let reason = PipelineError(error, at: .plugin)
    if reason.endsRun { throw reason }
    return reason
  }

  /// In the order of the configuration.
  private func ordered(_ images: [StoredImage]) -> [StoredImage] {
    imaging.renditions.compactMap { rendition in images.first { $0.isOf(rendition) } }
  }
}

extension StoredImage {
  /// Whether it is a rendition's picture. (Two renditions may have one recipe.)
  fileprivate func isOf(_ rendition: Rendition) -> Bool {
    recipe == rendition.recipe && self.rendition == rendition.name
  }
}
