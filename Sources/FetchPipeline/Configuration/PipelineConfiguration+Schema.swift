extension PipelineConfiguration {
  /// The JSON Schema (draft 2020-12) of a configuration in strict JSON.
  ///
  /// - Parameters:
  ///   - registry: the stages whose options are known.
  ///   - isClosed: whether there are no other stages; else a stage of another name passes with any options.
  public static func schema(for registry: StageRegistry, isClosed: Bool = false) -> JSONValue {
    let properties = slotDescriptions.map { option in
      let schema: JSONValue =
        option.name == "version" ? ["const": 1, "description": .string(option.meaning)] : option.schema
      return JSONObject.Member(name: option.name, value: schema)
    }
    let slots: [JSONObject.Member] = [
      SlotSchema(InputSlot.self, registry), SlotSchema(RequestSlot.self, registry),
      SlotSchema(CacheSlot.self, registry), SlotSchema(MiddlewareSlot.self, registry),
      SlotSchema(TransportSlot.self, registry), SlotSchema(DecodeSlot.self, registry),
      SlotSchema(TransformSlot.self, registry), SlotSchema(EncodeSlot.self, registry),
      SlotSchema(OutputSlot.self, registry),
    ].map { JSONObject.Member(name: $0.name, value: $0.json(isClosed: isClosed)) }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "The configuration of an image pipeline",
      "type": "object",
      "properties": .object(JSONObject(properties)),
      "required": .array(options.filter(\.isRequired).map { .string($0.name) }),
      "additionalProperties": false,
      "not": ["required": ["renditions"], "anyOf": [["required": ["transform"]], ["required": ["encode"]]]],
      "$defs": .object(JSONObject(slots)),
    ]
  }
}

/// The schema of what stands in a slot: a stage's name, a path where the slot takes one, or an object with options.
private struct SlotSchema {
  let name: String
  private let stages: [StageDescription]
  private let takesPath: Bool

  init<Slot: StageSlot>(_ slot: Slot.Type, _ registry: StageRegistry) {
    name = Slot.name
    stages = registry.stages(in: slot).map(\.description)
    takesPath = Slot.stageOfBareString != nil
  }

  func json(isClosed: Bool) -> JSONValue {
    var forms: [JSONValue] = [word(isClosed: isClosed)]
    forms += stages.map { object(of: $0) }
    if !isClosed {
      forms.append([
        "type": "object", "required": ["use"],
        "properties": ["use": ["type": "string", "not": ["enum": .array(stages.map { .string($0.name) })]]],
      ])
    }
    return ["anyOf": .array(forms)]
  }

  /// The bare string: a path, or the name of a stage that needs no options.
  private func word(isClosed: Bool) -> JSONValue {
    if takesPath { return ["type": "string"] }
    let (needy, others) = (
      stages.filter { $0.options.contains(where: \.isRequired) },
      stages.filter { !$0.options.contains(where: \.isRequired) }
    )
    if isClosed { return ["enum": .array(others.map { .string($0.name) })] }
    return needy.isEmpty
      ? ["type": "string"] : ["type": "string", "not": ["enum": .array(needy.map { .string($0.name) })]]
  }

  private func object(of stage: StageDescription) -> JSONValue {
    var properties: JSONObject = ["use": ["const": .string(stage.name)]]
    properties.members += stage.options.map { JSONObject.Member(name: $0.name, value: $0.schema) }
    // A slot with one stage needs no name.
    let required = (stages.count == 1 ? [] : ["use"]) + stage.options.filter(\.isRequired).map(\.name)
    return [
      "type": "object", "description": .string(stage.summary), "properties": .object(properties),
      "required": .array(required.map { .string($0) }), "additionalProperties": false,
    ]
  }
}
