/// A place in the pipeline for which a configuration names one or more stages.
public protocol StageSlot: Sendable {
  /// What a stage of this slot makes.
  associatedtype Product
  /// The options that every stage of the slot has.
  associatedtype CommonOptions: OptionsDeclaring = NoOptions
  /// The slot's name in a configuration.
  static var name: String { get }
  /// The stage that a bare string configures with a path; nil where a bare string is a stage's name.
  static var stageOfBareString: String? { get }
  /// Whether there may be no stage in it, which a configuration writes as `[]`.
  static var mayBeEmpty: Bool { get }
}

extension StageSlot {
  /// A bare string is a stage's name.
  public static var stageOfBareString: String? { nil }
  /// There has to be one.
  public static var mayBeEmpty: Bool { false }
}

/// A stage that a configuration can name: its options, and what it makes of them.
public protocol Stage<Slot>: OptionsDeclaring {
  /// Where it stands in the pipeline.
  associatedtype Slot: StageSlot
  /// What a configuration calls it.
  static var name: String { get }
  /// What it does, in a sentence.
  static var summary: String { get }
  /// What a configuration calls this value: the type's name, where one type does not stand for several stages.
  var stageName: String { get }
  /// Makes the working stage. Called once for a pipeline, when all options are known to be right.
  func make(in context: StageContext) throws -> Slot.Product
  /// Its options as they take effect, with what a configuration leaves to the surroundings: a folder that the environment
  /// names, for example. By default the options as they are.
  func resolvedOptions(in context: StageContext) -> JSONObject
}

extension Stage {
  /// The options as they are.
  public func resolvedOptions(in context: StageContext) -> JSONObject { effectiveOptions }
}

extension Stage {
  /// The type's name.
  public var stageName: String { Self.name }
}

/// The absence of options.
public struct NoOptions: OptionsDeclaring {
  /// Nothing.
  public init() {}
  /// Its options.
  public static var options: [OptionDeclaration<NoOptions>] { [] }
}

/// What a stage may need to know of the pipeline that it is made for.
public struct StageContext: Sendable {
  /// The folder that relative paths start from; empty for the working folder.
  public var folder: String
  /// The limits of the pipeline.
  public var limits: Limits
  /// The options of every transport.
  public var transport: TransportOptions
  /// What hears of what happens.
  public var observer: any PipelineObserver
  /// The folder beside which a run keeps its state; nil where the output has none.
  public var stateFolder: String?

  /// A context.
  public init(
    folder: String = "", limits: Limits = Limits(), transport: TransportOptions = TransportOptions(),
    observer: any PipelineObserver = SilentObserver(), stateFolder: String? = nil
  ) {
    self.folder = folder
    self.limits = limits
    self.transport = transport
    self.observer = observer
    self.stateFolder = stateFolder
  }

  /// Tells, in a sentence, what a person should know who watches the run, and that makes no item fail.
  public var warn: @Sendable (String) -> Void {
    { [observer] in observer.observe(.warning($0)) }
  }

  /// `path` relative to the configuration's folder.
  public func resolving(_ path: String) -> String {
    path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
  }
}
