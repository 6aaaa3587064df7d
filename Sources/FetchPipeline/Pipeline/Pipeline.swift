/// The stages of a configuration, assembled and ready to work.
public final class Pipeline: Sendable {
  /// The configuration it was made from.
  public let configuration: PipelineConfiguration
  /// Where pictures go.
  public let output: any ImageOutput
  /// Where rows come from.
  public let source: (any ItemSource)?

  private let assembly: RequestAssembly
  private let transport: any Transport
  private let imaging: Imaging
  private let workers: WorkerPool
  private let queues: HostQueues
  private let budget: MemoryBudget

  /// Assembles a pipeline: makes every stage, and starts the worker threads.
  ///
  /// - Parameters:
  ///   - context: what stages may need to know; its limits and transport options are those of the configuration.
  ///   - resources: what the machine has.
  /// - Throws: `ConfigurationError` where a slot is empty that cannot be, or what a stage throws.
  public init(
    _ configuration: PipelineConfiguration, registry: StageRegistry, context: StageContext = StageContext(),
    resources: MachineResources = .current
  ) throws {
    guard let transport = configuration.transport, let encode = configuration.encode,
      let output = configuration.output, let converter = registry.pixelConverter
    else {
      throw ConfigurationError(
        file: nil,
        problems: [ConfigurationProblem(path: "", message: "transport, encode, output and a converter are needed")])
    }
    var context = context
    context.limits = configuration.limits
    context.transport = transport.common
    self.configuration = configuration
    self.transport = try transport.stage.make(in: context)
    self.output = try output.stage.make(in: context)
    context.stateFolder = context.stateFolder ?? self.output.stateFolder
    source = try configuration.input?.stage.make(in: context)
    assembly = RequestAssembly(builders: try configuration.request.map { try $0.stage.make(in: context) })

    let decoders = try Self.decoders(configuration, registry: registry, context: context)
    let options = configuration.decode.first?.common ?? DecodeOptions()
    var decoding = Fingerprint("decoding")
    decoding.add("margin", options.margin)
    for decoder in decoders {
      decoding.add("decoder", String(describing: type(of: decoder)))
      decoder.fingerprint(into: &decoding)
    }
    let rendition = Rendition(
      name: "", transforms: try configuration.transform.map { try $0.stage.make(in: context) },
      encoder: try encode.stage.make(in: context), decoding: decoding.digest())
    imaging = Imaging(
      decoders: decoders, renditions: [rendition], converter: converter, margin: options.margin,
      limits: configuration.limits)

    let count = configuration.limits.workers ?? resources.cores
    workers = try WorkerPool(count: count)
    queues = HostQueues(
      connections: transport.common.connections, perHost: transport.common.connectionsPerHost)
    budget = MemoryBudget(
      total: configuration.limits.memory?.bytes ?? min(resources.memory / 4, 1 << 30),
      readAhead: configuration.limits.readAhead?.bytes ?? (16 << 20) + count * (4 << 20),
      longestBody: transport.common.maxBytes.bytes)
  }

  /// Runs over the configured input.
  ///
  /// - Parameters:
  ///   - store: what is known of earlier runs, and learns of this one.
  ///   - report: is given each result.
  ///   - control: stops the run from outside.
  ///   - progress: is kept up to date.
  /// - Throws: what makes it impossible to go on: an output, input or report that cannot be read or written.
  public func run(
    store: any ReceiptStore, report: any ReportSink, control: RunControl = RunControl(),
    progress: Lock<RunProgress> = Lock(RunProgress())
  ) async throws -> RunOutcome {
    guard let source else {
      throw ConfigurationError(file: nil, problems: [ConfigurationProblem(path: "input", message: "there is none")])
    }
    try await output.prepare(claims: store)
    let fetcher = Fetcher(
      transport: transport, middleware: [], queues: queues, budget: budget, options: transportOptions,
      accepts: imaging.accepts)
    let item = ItemRun(
      assembly: assembly, fetcher: fetcher, imaging: imaging, workers: workers, budget: budget, output: output,
      store: store, coalescer: Coalescer(), negativeLifetime: transportOptions.negativeLifetime,
      failureRecipe: failureRecipe)
    let run = BatchRun(
      item: item, report: report, itemTime: configuration.limits.itemTime,
      window: max(transportOptions.connections * 8, 256), control: control, progress: progress)
    return try await Self.run(run, over: source)
  }

  /// Ends everything. Nothing may be asked of the pipeline afterwards.
  public func shutdown() async {
    await transport.shutdown()
    await output.shutdown()
    workers.shutdown()
  }

  private static func run(_ run: BatchRun, over source: some ItemSource) async throws -> RunOutcome {
    try await run.run(source)
  }

  private var transportOptions: TransportOptions { configuration.transport?.common ?? TransportOptions() }

  private var failureRecipe: Digest {
    let limits = configuration.limits
    var print = Fingerprint("failure")
    for rendition in imaging.renditions { print.add("recipe", rendition.recipe) }
    print.add("limits", JSONValue.object(limits.effectiveOptions).compactText)
    print.add("maxBytes", transportOptions.maxBytes.bytes)
    print.add("redirects", transportOptions.redirects)
    return print.digest()
  }

  /// The named decoders first, then all others of the registry.
  private static func decoders(
    _ configuration: PipelineConfiguration, registry: StageRegistry, context: StageContext
  ) throws -> [any ImageDecoder] {
    let named = Set(configuration.decode.map(\.name))
    let others = registry.stages(in: DecodeSlot.self).filter { !named.contains($0.name) }.map { $0.withDefaults() }
    return try (configuration.decode.map(\.stage) + others).map { try $0.make(in: context) }
  }
}
