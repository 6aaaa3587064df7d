/// A stage that a configuration names, with its options.
public struct StageSelection<Slot: StageSlot>: Sendable {
  /// The stage with its options.
  public let stage: any Stage<Slot>
  /// The options that every stage of the slot has.
  public let common: Slot.CommonOptions

  /// A selection made in code.
  public init(_ stage: any Stage<Slot>, common: Slot.CommonOptions = Slot.CommonOptions()) {
    self.stage = stage
    self.common = common
  }

  /// The stage's name.
  public var name: String { stage.stageName }
}

extension StageSelection: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    // What stages there are is known to a registry alone: `PipelineConfiguration.schema(for:isClosed:)`.
    ConfigurationType("\(Slot.name) stage", schema: ["$ref": .string("#/$defs/\(Slot.name)")])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> StageSelection? {
    let stages = scope.registry.stages(in: Slot.self)
    let object: JSONObject
    let name: String
    switch json {
    case .string(let text):
      if let stage = Slot.stageOfBareString {
        name = stage
        object = ["path": .string(text)]
      } else {
        name = text
        object = [:]
      }
    case .object(let members):
      // A slot with one stage needs no name.
      guard let use = members["use"] ?? (stages.count == 1 ? stages.first.map { .string($0.name) } : nil) else {
        scope.report("\"use\" is missing: the name of a stage\(NearestName.hint(for: "", among: stages.map(\.name)))")
        return nil
      }
      guard case .string(let text)? = scope.member("use").expanding(use) else {
        scope.member("use").reportMismatch(use, expected: "the name of a stage")
        return nil
      }
      name = text
      object = members
    default:
      let isNothing = json == .null || json == .bool(false)
      let hint = isNothing && Slot.mayBeEmpty ? "; [] is none" : ""
      scope.reportMismatch(json, expected: "a stage: a name, or {\"use\": NAME, …}\(hint)")
      return nil
    }
    guard let registered = stages.first(where: { $0.name == name }) else {
      // It may be a stage of the plugin that could not be loaded, which has been told.
      if scope.lacksPlugins { return nil }
      let hint = NearestName.hint(for: name, among: stages.map(\.name))
      scope.report("\"\(name)\" is not a stage of \"\(Slot.name)\"\(hint)")
      return nil
    }
    let before = scope.problems.count
    let stage = registered.read(object, in: scope)
    let own = registered.ownOptions
    let common = Slot.CommonOptions.read(object, in: scope, owner: "\"\(name)\"") {
      $0 == "use" || own.contains($0) || !Slot.CommonOptions.options.map(\.name).contains($0)
    }
    scope.sortProblems(from: before, by: object.members.map(\.name))
    return scope.problems.count == before ? StageSelection(stage, common: common) : nil
  }

  /// Notes what is wrong with options that were set in code.
  public func noteProblems(in scope: ConfigurationScope) {
    stage.noteProblemsOfOptions(in: scope)
    common.noteProblemsOfOptions(in: scope)
  }

  /// As a configuration writes it.
  public var json: JSONValue { json(with: stage.effectiveOptions) }

  /// As a configuration would write it that leaves nothing to the surroundings.
  public func resolvedJSON(in context: StageContext) -> JSONValue { json(with: stage.resolvedOptions(in: context)) }

  private func json(with options: JSONObject) -> JSONValue {
    var object: JSONObject = ["use": .string(name)]
    object.members += options.members + common.effectiveOptions.members
    return .object(object)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The members, in the order written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { Member(name: $0.0, value: $0.1) })
  }
}
