/// A stage of a plugin in C, with the values of its options: one type for all that there are of a slot.
struct CStage<Slot: StageSlot>: Stage {
  /// What the plugin declares of it; nil only in a value that stands for no stage.
  private let declaration: CStageDeclaration<Slot>?
  private var values: [JSONValue]

  init() {
    declaration = nil
    values = []
  }

  init(_ declaration: CStageDeclaration<Slot>) {
    self.declaration = declaration
    values = declaration.options.map(\.defaultValue)
  }

  static var name: String { "" }
  static var summary: String { "" }
  static var options: [OptionDeclaration<CStage>] { [] }

  var stageName: String { declaration?.name ?? "" }

  var effectiveOptions: JSONObject {
    JSONObject(zip(declaration?.options ?? [], values).map { JSONObject.Member(name: $0.name, value: $1) })
  }

  func make(in context: StageContext) throws -> Slot.Product {
    guard let declaration else { throw PipelineError(.plugin, .plugin, "this stage is of no plugin") }
    return declaration.make(CValues(values, of: declaration.options), effectiveOptions)
  }

  /// The stage as others are registered.
  static func registered(_ declaration: CStageDeclaration<Slot>) -> RegisteredStage<Slot> {
    let options = declaration.options.enumerated().map { index, option in
      OptionDeclaration<CStage>(
        option.name, type: option.type, option.meaning, required: option.isRequired,
        read: { json, stage, scope in
          guard let json = scope.expanding(json), let value = option.read(json, in: scope) else { return }
          stage.values[index] = value
        },
        write: { $0.values.indices.contains(index) ? $0.values[index] : .null })
    }
    return RegisteredStage(CStage(declaration), options: options, summary: declaration.summary)
  }
}

/// What a plugin in C declares of a stage.
struct CStageDeclaration<Slot: StageSlot>: Sendable {
  let name: String
  let summary: String
  let options: [COption]
  /// Makes the working stage of the values of its options.
  let make: @Sendable (CValues, JSONObject) -> Slot.Product
}
