/// The stages that a configuration may name, in order: a value that is built once and then only read.
///
/// Order counts where several stages may serve: decoders are asked in it.
public struct StageRegistry: Sendable {
  private var slots: [String: any Sendable] = [:]
  private var order: [StageDescription] = []

  /// What brings pictures into the form that a stage takes.
  public var pixelConverter: (any PixelConverter)?
  /// What converts colours to sRGB; nil leaves them as they are.
  public var colorConverter: (any ColorConverter)?

  /// The plugins that were loaded, in that order.
  public internal(set) var plugins: [Plugin] = []

  /// A registry without stages.
  public init() {}

  /// Adds a stage behind those of its slot. A stage of the same name is replaced, in its place.
  public mutating func register<S: Stage>(_ stage: S.Type) {
    register(RegisteredStage<S.Slot>(stage))
  }

  mutating func register<Slot: StageSlot>(_ entry: RegisteredStage<Slot>) {
    var stages = self.stages(in: Slot.self)
    if let index = stages.firstIndex(where: { $0.name == entry.name }) {
      stages[index] = entry
    } else {
      stages.append(entry)
    }
    slots[Slot.name] = stages
    order.removeAll { $0.slot == Slot.name && $0.name == entry.name }
    order.append(entry.description)
  }

  /// The stages of a slot, in order.
  public func stages<Slot: StageSlot>(in slot: Slot.Type) -> [RegisteredStage<Slot>] {
    slots[Slot.name] as? [RegisteredStage<Slot>] ?? []
  }

  /// Every stage, in the order in which they were registered.
  public var descriptions: [StageDescription] { order }
}

/// A stage of a slot, its type put away.
public struct RegisteredStage<Slot: StageSlot>: Sendable {
  /// What it is, for people.
  public let description: StageDescription
  /// The names of its options, without those common to its slot.
  let ownOptions: Set<String>
  private let readOptions: @Sendable (JSONObject, ConfigurationScope) -> any Stage<Slot>
  private let makeDefault: @Sendable () -> any Stage<Slot>

  /// What a configuration calls it.
  public var name: String { description.name }

  init<S: Stage>(_ stage: S.Type) where S.Slot == Slot {
    description = StageDescription(
      slot: Slot.name, name: S.name, summary: S.summary,
      options: S.optionDescriptions + Slot.CommonOptions.optionDescriptions, schema: S.schema)
    ownOptions = Set(S.options.map(\.name))
    readOptions = { object, scope in
      let common = Slot.CommonOptions.options.map(\.name)
      return S.read(object, in: scope, owner: "\"\(S.name)\"", alsoKnown: common) {
        $0 == "use" || common.contains($0)
      }
    }
    makeDefault = { S() }
  }

  /// A stage that is a value of a type that stands for several.
  init<S: Stage>(_ defaults: S, options: [OptionDeclaration<S>], summary: String) where S.Slot == Slot {
    let own = S.descriptions(of: options, defaults: defaults)
    let name = defaults.stageName
    description = StageDescription(
      slot: Slot.name, name: name, summary: summary, options: own + Slot.CommonOptions.optionDescriptions,
      schema: OptionDescription.schema(of: own))
    ownOptions = Set(options.map(\.name))
    readOptions = { object, scope in
      let common = Slot.CommonOptions.options.map(\.name)
      return S.read(
        object, into: defaults, options: options, in: scope, owner: "\"\(name)\"", alsoKnown: common
      ) {
        $0 == "use" || common.contains($0)
      }
    }
    makeDefault = { defaults }
  }

  /// The stage with the default of every option.
  public func withDefaults() -> any Stage<Slot> { makeDefault() }

  func read(_ object: JSONObject, in scope: ConfigurationScope) -> any Stage<Slot> { readOptions(object, scope) }
}

/// A stage for people: its place, name, purpose and options.
public struct StageDescription: Sendable {
  /// The name of its slot.
  public let slot: String
  /// Its name.
  public let name: String
  /// What it does, in a sentence.
  public let summary: String
  /// Its options, those common to its slot last.
  public let options: [OptionDescription]
  /// The JSON Schema of its own options.
  public let schema: JSONValue
}
