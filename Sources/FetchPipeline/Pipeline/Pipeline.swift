/// The stages of a configuration, assembled and ready to work.
public final class Pipeline: Sendable {
  /// The configuration it was made from.
  public let configuration: PipelineConfiguration
  /// Where pictures go.
  public let output: any ImageOutput
  /// Where rows come from.
  public let source: (any ItemSource)?

  /// Where answers are kept.
  public var cache: CacheTiers { maker.fetcher.cache }

  let assembly: RequestAssembly
  private let transport: any Transport
  private let workers: WorkerPool
  let maker: PictureMaker
  /// What single requests that are under way have in common.
  let sharedPictures = SharedWork<PictureKey, Void, ProcessedImage>()
  let sharedFetches = SharedFetches()
  /// The runs that go on.
  private let runs = Lock<[Int: BatchRun]>([:])
  /// What the stages were told that it was made of.
  package let context: StageContext
  let clock: any PipelineClock
  /// Hears what happens.
  package let observer: any PipelineObserver
  /// The requests made without a list.
  let requestCount = Lock(0)
  /// The folder beside which a run keeps its state; nil where neither the configuration nor the output names one.
  public let stateFolder: String?
  /// The file of results that the configuration names; nil for the one of the state folder.
  public let reportPath: String?

  /// Assembles a pipeline: makes every stage, and starts the worker threads.
  ///
  /// - Parameters:
  ///   - registry: the decoders and converters; those of the configuration's plugins stand beside them.
  ///   - context: what stages may need to know; its limits and transport options are those of the configuration.
  ///   - resources: what the machine has.
  /// - Throws: `ConfigurationError` where a slot is empty that cannot be, or what a stage throws.
  public init(
    _ configuration: PipelineConfiguration, registry: StageRegistry, context: StageContext = StageContext(),
    resources: MachineResources = .current, clock: any PipelineClock = SystemClock()
  ) throws {
    let registry = configuration.plugins.isEmpty ? registry : configuration.registry ?? registry
    try configuration.check(registry: registry, folder: context.folder)
    guard let transport = configuration.transport, let output = configuration.output,
      let converter = registry.pixelConverter
    else {
      throw ConfigurationError(
        file: nil, problems: [ConfigurationProblem(path: "", message: "transport, output and a converter are needed")])
    }
    var context = context
    context.limits = configuration.limits
    context.transport = transport.common
    let observer = context.observer
    self.configuration = configuration
    self.clock = clock
    self.observer = observer
    self.transport = try transport.stage.make(in: context)
    self.output = try output.stage.make(in: context)
    stateFolder = configuration.state.map(context.resolving) ?? self.output.stateFolder
    context.stateFolder = stateFolder
    self.context = context
    reportPath = configuration.report.path.map { $0 == "-" ? $0 : context.resolving($0) }
    source = try configuration.input?.stage.make(in: context)
    assembly = RequestAssembly(builders: try configuration.request.map { try $0.stage.make(in: context) })
    let decoding = try DecoderList(configuration, registry: registry, context: context)
    let imaging = Imaging(
      decoders: decoding,
      renditions: try Rendition.all(of: configuration, decoding: decoding.fingerprint, context: context),
      preparation: ImagePreparation(pixels: converter, colors: registry.colorConverter), limits: configuration.limits)

    let limits = configuration.limits.resolved(on: resources)
    let budget = MemoryBudget(
      total: limits.memory?.bytes ?? 0, readAhead: limits.readAhead?.bytes ?? 0,
      longestBody: transport.common.maxBytes.bytes)
    let cache = CacheTiers(try configuration.cache.map { try $0.stage.make(in: context) }, warn: context.warn)
    let fetcher = Fetcher(
      transport: self.transport, middleware: try configuration.middleware.map { try $0.stage.make(in: context) },
      hosts: Hosts(transport.common, clock: clock), budget: budget, cache: cache, options: transport.common,
      clock: clock, observer: observer, accepts: { imaging.accepts($0) })
    // Last, since threads do not end by themselves where something else cannot be made.
    workers = try WorkerPool(count: limits.workers ?? resources.cores)
    maker = PictureMaker(fetcher: fetcher, imaging: imaging, workers: workers, budget: budget)
  }

  deinit {
    // Who forgets `shutdown()` loses no threads.
    workers.shutdown()
  }

  /// What a person who checks the configuration should know, a sentence each.
  public var cautions: [String] {
    output.cautions(for: maker.imaging.renditions.map { $0.encoder.format(mayBeTransparent: true) })
  }

  /// Runs over the configured input.
  ///
  /// - Parameters:
  ///   - store: what is known of earlier runs, and learns of this one.
  ///   - report: is given each result.
  ///   - options: which rows are taken, and what is done about those that are known.
  ///   - control: stops the run from outside.
  ///   - progress: is kept up to date.
  /// - Throws: what makes it impossible to go on: an output, input or report that cannot be read or written.
  public func run(
    store: any ReceiptStore, report: any ReportSink, options: RunOptions = RunOptions(),
    control: RunControl = RunControl(), progress: Lock<RunProgress> = Lock(RunProgress())
  ) async throws -> RunOutcome {
    guard let source else {
      throw ConfigurationError(file: nil, problems: [ConfigurationProblem(path: "input", message: "there is none")])
    }
    if !options.isDryRun { try await output.prepare(claims: store) }
    let item = ItemRun(
      assembly: assembly, maker: maker, output: output, store: store, options: options,
      attempts: AttemptLimit(options.limit),
      negativeLifetime: maker.fetcher.options.negativeLifetime, failureRecipe: failureRecipe,
      reportsHeaders: configuration.report.headers, observer: observer)
    let run = BatchRun(
      item: item, report: report, limits: configuration.limits, window: max(maker.fetcher.options.connections * 4, 128),
      control: control, clock: clock, progress: progress)
    let number = runs.withLock { runs in
      let number = (runs.keys.max() ?? 0) + 1
      runs[number] = run
      return number
    }
    defer { runs.withLock { $0[number] = nil } }
    return try await Self.run(run, over: source)
  }

  /// Ends everything: who waits for a picture gets the error `cancelled`, and so does who asks for one afterwards.
  ///
  /// To be called when the pipeline is no longer needed: it ends connections and puts the cache's last changes on the disk.
  public func shutdown() async {
    sharedPictures.cancelAll()
    sharedFetches.cancelAll()
    for run in runs.withLock({ $0 }).values { run.cancel() }
    workers.shutdown()
    await transport.shutdown()
    await output.shutdown()
    await cache.shutdown()
  }

  private static func run(_ run: BatchRun, over source: some ItemSource) async throws -> RunOutcome {
    try await run.run(source)
  }

  private var failureRecipe: Digest {
    let limits = configuration.limits
    var print = Fingerprint("failure")
    for rendition in maker.imaging.renditions { print.add("recipe", rendition.recipe) }
    print.add("limits", JSONValue.object(limits.effectiveOptions).compactText)
    // What the transport is told decides what it can reach; how fast it goes and how often it tries does not.
    if case .object(let transport)? = configuration.transport?.json {
      let pace: Set = [
        "connections", "connectionsPerHost", "requestsPerSecondPerHost", "retry", "negativeLifetime", "connectTimeout",
        "stallTimeout",
      ]
      for member in transport.members where !pace.contains(member.name) {
        print.add(member.name, member.value.compactText)
      }
    }
    return print.digest()
  }
}
