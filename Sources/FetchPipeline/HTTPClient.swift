/// Asks servers, as the pipeline does for pictures: by the same transport with its address guard, in turn at each host and
/// at its pace, with retries, redirects, byte limits, middleware and cache.
///
/// A client of a pipeline (`Pipeline.client`) has everything in common with it: hosts see one asker, and the memory that
/// bodies take while they are received counts towards `limits.memory`. One made alone needs neither decoders nor an output.
/// Whole answers are the caller's, whatever they take.
///
/// Requests are sent as they are given: builders (`request` of a configuration) refine those for pictures. What a request
/// leaves out is added: User-Agent, the media type of its body, the credentials of its URL.
public struct HTTPClient: Sendable {
  private let fetcher: Fetcher
  private let clock: any PipelineClock
  /// The most time for an answer, waits for a turn at a host not counted.
  private let time: Duration
  /// Whether transport and cache are this client's own.
  private let isOwner: Bool

  init(_ fetcher: Fetcher, time: Duration, isOwner: Bool) {
    var fetcher = fetcher
    fetcher.accepts = { _ in true }
    self.fetcher = fetcher
    self.clock = fetcher.clock
    self.time = time
    self.isOwner = isOwner
  }

  /// The answer to `request`, where it is a success.
  ///
  /// GET, HEAD, PUT and DELETE are tried again where that may help, as `transport.retry` says; POST and PATCH are sent once.
  /// Answers to GET are kept and used again by the rules of RFC 9111 and the request's cache mode.
  ///
  /// - Throws: `PipelineError`: `http-status` where the status is not 200…299, with the status, and how the body begins in
  ///   the message; else what `response(to:)` throws.
  public func send(_ request: HTTPRequest) async throws -> ReceivedResponse {
    let response = try await response(to: request)
    guard response.isSuccess else { throw Fetcher.statusError(response.status, body: response.body) }
    return response
  }

  /// The answer to `request`, whatever its status: for those who want to look at an error's body themselves. Redirects are
  /// followed, and passing failures (408, 425, 429, 5xx) tried again before.
  ///
  /// - Throws: `CancellationError` where the task is cancelled; else `PipelineError`: of stage request `invalid-input` (a
  ///   header field that cannot be sent), of stage transport `dns`, `connect`, `timeout` (of an attempt, by the request;
  ///   of all, by `limits.itemTime`), `stalled`, `connection-lost`, `protocol`, `tls`, `host-unavailable`,
  ///   `blocked-address`, `redirect-limit`, `redirect-blocked`, `body-truncated`, `body-too-large`, `content-encoding`,
  ///   `out-of-budget`, `cancelled` after a shutdown; of stage cache `not-cached`; `plugin` for what a middleware throws.
  public func response(to request: HTTPRequest) async throws -> ReceivedResponse {
    var request = request
    request.addCredentials()
    if request.headers["User-Agent"] == nil { request.headers["User-Agent"] = PipelineVersion.product }
    try request.completeFields()
    do {
      return try await withinTime { [request, fetcher] trace in try await fetcher.response(to: request, trace: trace) }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw PipelineError(error, at: .plugin)
    }
  }

  /// Ends what is under way, with `cancelled`, and gives up connections and cache; whatever is asked later fails. A
  /// pipeline's client does nothing here: it ends with the pipeline.
  public func shutdown() async {
    guard isOwner else { return }
    await fetcher.transport.shutdown()
    await fetcher.cache.shutdown()
  }

  private func withinTime(
    _ work: @escaping @Sendable (FetchTrace) async throws -> ReceivedResponse
  ) async throws -> ReceivedResponse {
    let deadlines = ItemDeadlines(limit: time, clock: clock)
    let watch = Task { await deadlines.watch() }
    defer { watch.cancel() }
    return try await deadlines.run { [time] deadline in
      do {
        return try await work(FetchTrace { deadline.note($0) })
      } catch is CancellationError where deadline.hasExpired {
        throw PipelineError.outOfTime("the answer", limit: time)
      }
    }
  }
}

extension HTTPClient {
  /// A client of its own, from the transport, cache, middleware and limits of a configuration; the rest of it is not used.
  ///
  /// - Parameters:
  ///   - context: what stages may need to know; its limits and transport options are those of the configuration.
  ///   - resources: what the machine has.
  /// - Throws: `ConfigurationError` where no transport is chosen or an option cannot be, or what a stage throws.
  public init(
    _ configuration: PipelineConfiguration, context: StageContext = StageContext(),
    resources: MachineResources = .current, clock: any PipelineClock = SystemClock()
  ) throws {
    guard let transport = configuration.transport else {
      throw ConfigurationError(
        file: nil, problems: [ConfigurationProblem(path: "transport", message: "a client needs one")])
    }
    try configuration.forClient.check(registry: configuration.registry ?? StageRegistry(), folder: context.folder)
    var context = context
    context.limits = configuration.limits
    context.transport = transport.common
    try self.init(
      transport: try transport.stage.make(in: context), options: transport.common,
      middleware: try configuration.middleware.map { try $0.stage.make(in: context) },
      cache: try configuration.cache.map { try $0.stage.make(in: context) },
      limits: configuration.limits, observer: context.observer, resources: resources, clock: clock)
  }

  /// A client of its own over a chosen transport, without a cache:
  /// `try HTTPClient(transport: StageSelection(CurlStage()))`.
  public init(transport: StageSelection<TransportSlot>, context: StageContext = StageContext()) throws {
    var configuration = PipelineConfiguration()
    configuration.transport = transport
    configuration.limits = context.limits
    try self.init(configuration, context: context)
  }

  /// A client of its own, of parts that were made: with a transport that answers by itself, for example, for tests.
  ///
  /// - Parameters:
  ///   - transport: what moves the bytes; the client shuts it down.
  ///   - options: how hosts are treated, and how much is taken.
  ///   - middleware: what wraps the transport; the first is outermost.
  ///   - cache: where answers are kept: tiers in look-up order, which the client shuts down too.
  ///   - limits: `memory` for bodies while they are received, and `itemTime`.
  ///   - observer: hears of retries and warnings.
  /// - Throws: `ConfigurationError` where an option or a limit is none that a configuration could say.
  public init(
    transport: any Transport, options: TransportOptions = TransportOptions(),
    middleware: [any TransportMiddleware] = [], cache: [any ResponseCache] = [], limits: Limits = Limits(),
    observer: any PipelineObserver = SilentObserver(), resources: MachineResources = .current,
    clock: any PipelineClock = SystemClock()
  ) throws {
    let scope = ConfigurationScope(registry: StageRegistry(), folder: "", environment: nil)
    options.noteProblemsOfOptions(in: scope.member("transport"))
    limits.noteProblemsOfOptions(in: scope.member("limits"))
    guard scope.problems.isEmpty else { throw ConfigurationError(file: nil, problems: scope.problems) }
    let resolved = limits.resolved(on: resources)
    let budget = MemoryBudget(
      total: resolved.memory?.bytes ?? 0, readAhead: resolved.readAhead?.bytes ?? 0,
      longestBody: options.maxBytes.bytes)
    let warn: @Sendable (String) -> Void = { observer.observe(.warning($0)) }
    self.init(
      Fetcher(
        transport: transport, middleware: middleware, hosts: Hosts(options, clock: clock), budget: budget,
        cache: CacheTiers(cache, warn: warn), options: options, clock: clock, observer: observer,
        accepts: { _ in true }),
      time: limits.itemTime, isOwner: true)
  }
}

extension PipelineConfiguration {
  /// What a client uses of a configuration, by itself.
  fileprivate var forClient: PipelineConfiguration {
    var used = PipelineConfiguration()
    used.transport = transport
    used.middleware = middleware
    used.cache = cache
    used.limits = limits
    return used
  }
}
