/// Makes the pictures of a source: fetches or reads it, and hands it to a worker when there is memory for it.
final class PictureMaker: Sendable {
  let fetcher: Fetcher
  let imaging: Imaging
  let workers: WorkerPool
  let budget: MemoryBudget

  init(fetcher: Fetcher, imaging: Imaging, workers: WorkerPool, budget: MemoryBudget) {
    self.fetcher = fetcher
    self.imaging = imaging
    self.workers = workers
    self.budget = budget
  }

  /// What was made, and how the source was come by.
  struct Made: Sendable {
    var product: Imaging.Product
    var exchange: ExchangeDescription?
    var headers: HTTPFields?
  }

  /// The same for other pictures.
  func making(_ renditions: [Rendition]) -> PictureMaker {
    PictureMaker(fetcher: fetcher, imaging: imaging.making(renditions), workers: workers, budget: budget)
  }

  /// The bytes of a source.
  func fetch(
    _ location: ResourceLocation, request: HTTPRequest?, remaking: Bool = false, trace: FetchTrace
  ) async throws -> Fetcher.Fetched {
    if let request { return try await fetcher.fetch(request, remaking: remaking, trace: trace) }
    return try await fetcher.read(location, workers: workers, trace: trace)
  }

  /// What stands for the bytes of a source that is there.
  func digest(of fetched: Fetcher.Fetched) async throws -> ContentDigest {
    try await workers.run { _, _ in fetched.body.digest }
  }

  /// Makes the renditions at `wanted` of a source that is there.
  ///
  /// - Parameter time: how long the fetch took.
  func make(
    _ wanted: [Int], of fetched: Fetcher.Fetched, at location: ResourceLocation, fetchedIn time: Duration
  ) async throws -> Made {
    var product = try await image(fetched.body, wanted: wanted)
    if fetched.isRedirected { product.flags.insert(.redirected) }
    let claims = [
      fetched.body.contentType.flatMap(ClaimedFormat.init(contentType:)), ClaimedFormat(fileName: location.fileName),
    ]
    if claims.contains(where: { $0?.contradicts(product.source.format) == true }) {
      product.flags.insert(.mimeMismatch)
    }
    product.timings.fetch = time
    return Made(product: product, exchange: fetched.exchange, headers: fetched.headers)
  }

  private func image(_ body: ReceivedBody, wanted: [Int]) async throws -> Imaging.Product {
    let size = body.bytes.count
    var reservation: PixelReservation?
    var first = 0
    while true {
      switch try await attempt(on: body, wanted: wanted, first: first, holding: reservation) {
      case .done(let product): return product
      case .needsMemory(let bytes, let decoder):
        // Who waits for memory holds none for pixels: others may need it to end.
        reservation = nil
        reservation = try await budget.pixels(bytes, body: size)
        first = decoder
      }
    }
  }

  /// Tries on a worker, with the memory that is held already, or what is free right now.
  private func attempt(
    on body: ReceivedBody, wanted: [Int], first: Int, holding held: PixelReservation?
  ) async throws -> Imaging.Step {
    let size = body.bytes.count
    return try await workers.run { [imaging, budget] worker, latch in
      body.begin()
      do {
        return try imaging.attempt(on: body, wanted: wanted, first: first, worker: worker, latch: latch) { needed in
          if let held, held.bytes >= needed { return held }
          return budget.pixelsAtOnce(needed, body: size)
        }
      } catch let error as PipelineError where error.code == .truncated && !body.isKnownComplete {
        throw PipelineError(
          .transport, .bodyTruncated, "the connection ended before the picture did: \(error.message)")
      }
    }
  }
}
