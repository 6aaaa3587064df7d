/// A pipeline as a configuration describes it: a stage or a list of them in each slot.
public struct PipelineConfiguration: OptionsDeclaring {
  /// The version of the format.
  public var version = 1
  /// The plugins, or folders of them, that were loaded before the rest was read.
  public internal(set) var plugins: [String] = []
  /// The stages that there were when it was read, those of its plugins among them; nil for one built in code.
  public internal(set) var registry: StageRegistry?
  /// Where rows come from.
  public var input: StageSelection<InputSlot>?
  /// What rows become before they are sent.
  public var request: [StageSelection<RequestSlot>] = []
  /// Where answers are kept: tiers in look-up order.
  public var cache: [StageSelection<CacheSlot>] = []
  /// What wraps the transport; the first is outermost.
  public var middleware: [StageSelection<MiddlewareSlot>] = []
  /// What moves the bytes.
  public var transport: StageSelection<TransportSlot>?
  /// The decoders with options of their own, or which are to be asked first.
  public var decode: [StageSelection<DecodeSlot>] = []
  /// What is done to pixels.
  public var transform: [StageSelection<TransformSlot>] = []
  /// What turns pixels into a file's bytes.
  public var encode: StageSelection<EncodeSlot>?
  /// Several pictures of each source, in place of `transform` and `encode`.
  public var renditions: [RenditionConfiguration] = []
  /// Where the files go.
  public var output: StageSelection<OutputSlot>?
  /// The folder of ledger, report and lock; nil for the output's.
  public var state: String?
  /// What is refused, and how much is taken.
  public var limits = Limits()
  /// Where results are reported.
  public var report = ReportOptions()

  /// A pipeline in which nothing is chosen.
  public init() {}

  /// Its options.
  public static let options: [OptionDeclaration<PipelineConfiguration>] = [
    .init("version", \.version, "the version of this format") {
      $0 == 1 ? nil : "version \($0) is not known here; this program reads version 1"
    },
    .init(
      "plugins", \.plugins,
      "shared libraries with stages of their own, or folders of them; loaded before the rest is validated"),
    .init("input", \.input, "where rows come from: a path, or a stage", required: true),
    .init("request", \.request, "what rows become before they are sent; each builder refines the last one's result"),
    .init("cache", \.cache, "where answers are kept: tiers in look-up order; [] is none"),
    .init("middleware", \.middleware, "what wraps the transport; the first is outermost"),
    .init("transport", \.transport, "what moves the bytes"),
    .init("decode", \.decode, "decoders with options, or which are asked first; all others stay behind them"),
    .init("transform", \.transform, "what is done to pixels, in order"),
    .init("encode", \.encode, "what turns pixels into a file's bytes"),
    .init(
      "renditions", \.renditions,
      "several pictures of each source, from one fetch and one decode; instead of transform and encode"),
    .init("output", \.output, "where the files go: a path, or a stage"),
    .init("state", \.state, "the folder of ledger, report and lock; by default the output's"),
    .init("limits", \.limits, "what is refused, and how much is taken"),
    .init("report", \.report, "where results are reported"),
  ]

  /// The options as they are shown to people: with what slots hold that a configuration leaves out.
  public static var slotDescriptions: [OptionDescription] {
    optionDescriptions.map { option in
      OptionDescription(
        name: option.name, type: option.type, defaultValue: defaults[option.name] ?? option.defaultValue,
        meaning: option.meaning, isRequired: option.isRequired)
    }
  }

  /// What a slot holds that a configuration leaves out.
  static let defaults: JSONObject = [
    "request": "http", "cache": "disk", "transport": "curl",
    "transform": ["use": "resize", "width": 256, "height": 256],
    "encode": "auto", "output": "thumbnails",
  ]
}

/// Where results are reported.
public struct ReportOptions: ConfigurationGroup {
  /// The file; nil for `report.jsonl` in the state folder.
  public var path: String?
  /// Whether results have the header fields of answers.
  public var headers = false

  /// The defaults.
  public init() {}

  /// What the group is called.
  public static let groupName = "report"

  /// Its options.
  public static let options: [OptionDeclaration<ReportOptions>] = [
    .init("path", \.path, "the file of results; by default report.jsonl in the state folder"),
    .init("headers", \.headers, "whether results have the header fields of answers"),
  ]
}
