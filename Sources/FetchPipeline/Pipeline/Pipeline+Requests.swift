/// The pictures made of a source, in memory.
public struct ProcessedImage: Sendable {
  /// The source.
  public var source: SourceDescription
  /// How it was fetched; nil for what was here already.
  public var exchange: ExchangeDescription?
  /// The header fields of the answer as received, or as stored for one from the cache: for a service's own `Cache-Control`,
  /// for example. Nil for what was here already.
  public var headers: HTTPFields?
  /// The pictures, in the order of the configured renditions.
  public var images: [EncodedImage]
  /// What was noticed.
  public var flags: Set<ResultFlag>
  /// How long each step took.
  public var timings: Timings
}

extension Pipeline {
  /// Makes the pictures of one source, without a list, an output or a ledger.
  ///
  /// Equal requests that are under way at the same time are served by one fetch and one decode, those for other pictures of
  /// the same source by one fetch; when the last of those who wait for them is cancelled, so are they. The observer hears of
  /// it as of a row, under a number of this pipeline's.
  ///
  /// - Parameter renditions: the pictures that are made; nil for those of the configuration. They come from one decode. What
  ///   is not said of their encoder is the configuration's.
  /// - Throws: `PipelineError`; `CancellationError` where the calling task is cancelled; `ConfigurationError` for a rendition
  ///   that cannot be, before anything is done.
  public func image(
    for request: ImageRequest, renditions: [RenditionConfiguration]? = nil
  ) async throws -> ProcessedImage {
    let maker = try renditions.map { try self.maker.making(self.renditions(of: $0)) } ?? self.maker
    let number = requestCount.withLock { count in
      count += 1
      return count
    }
    let item = SourceItem(row: number, text: request.location.description, request: .success(request))
    var result = ImageResult(of: item, status: .ok)
    observer.observe(.started(id: result.id, url: result.url))
    defer { observer.observe(.finished(result)) }
    do {
      let processed = try await process(request, maker)
      result.source = processed.source
      result.exchange = processed.exchange
      result.flags = processed.flags
      result.timings = processed.timings
      return processed
    } catch {
      let isCancelled = error is CancellationError && Task.isCancelled
      let reason =
        error is CancellationError && !isCancelled
        ? PipelineError(.transport, .cancelled, "the pipeline has been shut down") : PipelineError(error, at: .plugin)
      result.status = .failed
      result.error = reason
      throw isCancelled ? error : reason
    }
  }

  /// The renditions of a request, whose options are right.
  private func renditions(of wanted: [RenditionConfiguration]) throws -> [Rendition] {
    let own = configuration.encode ?? configuration.renditions.first?.encode
    let wanted = wanted.map { rendition in
      var rendition = rendition
      rendition.encode = rendition.encode ?? own
      return rendition
    }
    try PipelineConfiguration.check(wanted, folder: context.folder)
    return try wanted.map { try Rendition($0, decoding: maker.imaging.decoders.fingerprint, context: context) }
  }

  private func process(_ request: ImageRequest, _ maker: PictureMaker) async throws -> ProcessedImage {
    var http: HTTPRequest?
    if case .url(let url) = request.location { http = try assembly.request(for: request, at: url) }
    // What a cache may answer is part of what is asked.
    let source = SourceKey(
      resource: http.map { ResourceKey($0) } ?? ResourceKey(local: request.location), cache: http?.cache)
    let key = PictureKey(source: source, recipes: maker.imaging.renditions.map(\.recipe))
    let (fetches, clock, limit) = (sharedFetches, self.clock, configuration.limits.itemTime)
    let location = request.location
    let processed = try await sharedPictures.value(for: key) { [http] in
      let deadlines = ItemDeadlines(limit: limit, clock: clock)
      let watch = Task { await deadlines.watch() }
      defer { watch.cancel() }
      return try await deadlines.run { deadline in
        do {
          let source = try await fetches.source(for: source, hearing: { deadline.note($0) }) { trace in
            try await maker.fetch(location, request: http, trace: trace)
          }
          let made = try await maker.make(
            Array(maker.imaging.renditions.indices), of: source.fetched, at: location, fetchedIn: source.time)
          return ProcessedImage(
            source: made.product.source, exchange: made.exchange, headers: made.headers, images: made.product.images,
            flags: made.product.flags, timings: made.product.timings)
        } catch is CancellationError where !Task.isCancelled {
          throw PipelineError.gaveUp
        } catch is CancellationError where deadline.hasExpired {
          throw PipelineError.outOfTime("the item", limit: limit)
        }
      }
    }
    return processed.named(maker.imaging.renditions.map(\.name))
  }

  /// Makes the picture at a URL, which may be a `data:` URL, as the first configured rendition.
  public func image(at url: String) async throws -> EncodedImage {
    try await image(for: ImageRequest(url)).first()
  }

  /// Makes one picture of the source at a URL, which may be a `data:` URL.
  ///
  /// - Parameters:
  ///   - transform: what is done to pixels, in order.
  ///   - encode: what turns pixels into a file's bytes; nil for the configuration's encoder.
  /// - Throws: as `image(for:renditions:)`.
  public func image(
    at url: String, transform: [any Stage<TransformSlot>], encode: (any Stage<EncodeSlot>)? = nil
  ) async throws -> EncodedImage {
    try await image(for: ImageRequest(url), transform: transform, encode: encode)
  }

  /// Makes one picture of a source, which may be uploaded bytes or a file.
  ///
  /// - Parameters:
  ///   - transform: what is done to pixels, in order.
  ///   - encode: what turns pixels into a file's bytes; nil for the configuration's encoder.
  /// - Throws: as `image(for:renditions:)`.
  public func image(
    for request: ImageRequest, transform: [any Stage<TransformSlot>], encode: (any Stage<EncodeSlot>)? = nil
  ) async throws -> EncodedImage {
    let rendition = RenditionConfiguration(transform: transform, encode: encode)
    return try await image(for: request, renditions: [rendition]).first()
  }

  /// Makes the pictures of many sources, as many at a time as `concurrency` says; the results come in the order in which
  /// they are ready. A source that fails is a result like others.
  ///
  /// Reading the results slowly slows the work down. Ending the iteration ends the work.
  public func images<Requests: AsyncSequence & Sendable>(
    for requests: Requests, concurrency: Int = 32, renditions: [RenditionConfiguration]? = nil
  ) -> AsyncThrowingStream<(request: ImageRequest, result: Result<ProcessedImage, PipelineError>), any Error>
  where Requests.Element == ImageRequest {
    results(of: requests, concurrency: concurrency) { ($0, await self.outcome(of: $0, renditions)) }
  }

  /// Makes the pictures of the sources of a list that is there already; else as for an asynchronous sequence.
  public func images<Requests: Sequence & Sendable>(
    for requests: Requests, concurrency: Int = 32, renditions: [RenditionConfiguration]? = nil
  ) -> AsyncThrowingStream<(request: ImageRequest, result: Result<ProcessedImage, PipelineError>), any Error>
  where Requests.Element == ImageRequest {
    images(for: SequenceInTurn(requests), concurrency: concurrency, renditions: renditions)
  }

  /// Makes the pictures at many URLs; one that does not parse is a failure like others.
  public func images<URLs: Sequence & Sendable>(
    at urls: URLs, concurrency: Int = 32, renditions: [RenditionConfiguration]? = nil
  ) -> AsyncThrowingStream<(url: String, result: Result<ProcessedImage, PipelineError>), any Error>
  where URLs.Element == String {
    results(of: SequenceInTurn(urls), concurrency: concurrency) { url in
      do { return (url, await self.outcome(of: try ImageRequest(url), renditions)) } catch {
        return (url, .failure(PipelineError(error, at: .input)))
      }
    }
  }

  private func results<Sources: AsyncSequence & Sendable, Outcome: Sendable>(
    of sources: Sources, concurrency: Int, _ outcome: @escaping @Sendable (Sources.Element) async -> Outcome
  ) -> AsyncThrowingStream<Outcome, any Error> where Sources.Element: Sendable {
    let handover = BoundedHandover<Outcome>()
    let work = Task {
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          var running = 0
          var failure: (any Error)?
          do {
            for try await source in sources {
              if running >= max(concurrency, 1) {
                try await group.next()
                running -= 1
              }
              // Where the iteration has ended, so does this.
              try Task.checkCancellation()
              running += 1
              group.addTask { await handover.put(await outcome(source)) }
            }
          } catch { failure = error }
          // What was begun is finished before the source's failure ends the iteration.
          try await group.waitForAll()
          if let failure { throw failure }
        }
        await handover.finish(nil)
      } catch {
        await handover.finish(error)
      }
    }
    let owner = WorkOwner(work) { Task { await handover.close() } }
    return AsyncThrowingStream {
      try await withTaskCancellationHandler {
        try await handover.take()
      } onCancel: {
        owner.end()
      }
    }
  }

  private func outcome(
    of request: ImageRequest, _ renditions: [RenditionConfiguration]?
  ) async -> Result<ProcessedImage, PipelineError> {
    do { return .success(try await image(for: request, renditions: renditions)) } catch {
      return .failure(PipelineError(error, at: .plugin))
    }
  }
}

/// What pictures of which source are wanted.
struct PictureKey: Hashable, Sendable {
  let source: SourceKey
  let recipes: [Digest]
}

/// Which bytes are wanted, and from where they may come.
struct SourceKey: Hashable, Sendable {
  let resource: ResourceKey
  let cache: CacheMode?
}

extension ProcessedImage {
  fileprivate func first() throws -> EncodedImage {
    guard let first = images.first else {
      throw PipelineError(.encode, .encode, "the pipeline makes no picture")
    }
    return first
  }

  /// Under the names of whoever asked: those whose recipes are equal share the pictures.
  fileprivate func named(_ names: [String]) -> ProcessedImage {
    var named = self
    for (index, name) in zip(images.indices, names) { named.images[index].rendition = name }
    return named
  }
}

/// A sequence, taken an element at a time as an asynchronous one is.
private struct SequenceInTurn<Base: Sequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: Base.Iterator

    mutating func next() async -> Base.Element? { base.next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeIterator()) }
}

/// Ends the work when nobody can ask for its results any more.
private final class WorkOwner: Sendable {
  private let task: Task<Void, Never>
  private let onEnd: @Sendable () -> Void

  init(_ task: Task<Void, Never>, onEnd: @escaping @Sendable () -> Void) {
    self.task = task
    self.onEnd = onEnd
  }

  deinit { end() }

  func end() {
    task.cancel()
    onEnd()
  }
}

/// Hands values from those who make them to one who takes them, one at a time: nobody makes ahead.
private actor BoundedHandover<Value: Sendable> {
  private var values: [(Value, CheckedContinuation<Void, Never>)] = []
  private var taker: CheckedContinuation<Value?, any Error>?
  private var end: (any Error)??
  private var isClosed = false

  func put(_ value: Value) async {
    if isClosed { return }
    if let taker {
      self.taker = nil
      taker.resume(returning: value)
      return
    }
    await withCheckedContinuation { values.append((value, $0)) }
  }

  func take() async throws -> Value? {
    if !values.isEmpty {
      let (value, maker) = values.removeFirst()
      maker.resume()
      return value
    }
    if let end {
      if let error = end { throw error }
      return nil
    }
    return try await withCheckedThrowingContinuation { taker = $0 }
  }

  /// Nobody takes any more: those who wait to hand something over go on.
  func close() {
    isClosed = true
    for (_, maker) in values { maker.resume() }
    values = []
    finish(CancellationError())
  }

  func finish(_ error: (any Error)?) {
    if end == nil { end = .some(error) }
    guard let taker else { return }
    self.taker = nil
    if let error { taker.resume(throwing: error) } else { taker.resume(returning: nil) }
  }
}
