import StandardStages

/// A configuration as a person reads it: the slots in the order in which data flows, each stage with its options as they
/// take effect.
struct AssembledPipeline {
  /// The slots with their values, in the order of the flow.
  private let slots: [JSONObject.Member]

  private static let flow = [
    "input", "request", "cache", "middleware", "transport", "decode", "transform", "encode", "renditions", "output",
    "report", "state", "limits",
  ]

  init(_ file: ConfigurationFile, resources: MachineResources, stateFolder: String?) {
    let configuration = file.configuration
    var context = file.context()
    context.limits = configuration.limits
    context.stateFolder = configuration.state.map(file.resolving) ?? stateFolder
    var effective = configuration.effectiveOptions
    // What is left to the surroundings, filled in.
    effective.set("cache", .array(configuration.cache.map { $0.resolvedJSON(in: context) }))
    // All decoders are there, those that are named first.
    let named = Set(configuration.decode.map(\.name))
    let behind = file.registry.stages(in: DecodeSlot.self).filter { !named.contains($0.name) }
    effective.set(
      "decode", .array(configuration.decode.map(\.json) + behind.map { StageSelection($0.withDefaults()).json }))
    if let transport = configuration.transport { effective.set("transport", transport.resolvedJSON(in: context)) }
    if let output = configuration.output { effective.set("output", output.resolvedJSON(in: context)) }
    effective.set("limits", configuration.limits.resolved(on: resources).json)
    let state = context.stateFolder
    effective.set("state", state.map { .string($0) } ?? .null)
    if configuration.report.path == nil, let state, case .object(var report)? = effective["report"] {
      report.set("path", .string("\(state)/report.jsonl"))
      effective.set("report", .object(report))
    }
    let shown = SecretsKept.apply(.object(file.written), to: .object(effective))
    guard case .object(let object) = shown else {
      slots = []
      return
    }
    let others = object.members.filter { !Self.flow.contains($0.name) && !["version", "plugins"].contains($0.name) }
    slots = (Self.flow.compactMap { name in object.members.first { $0.name == name } } + others)
      .filter { $0.value != .null && $0.value != .array([]) }
  }

  func text(width: Int) -> String {
    slots.flatMap { lines(of: $0, width: width) }.joined(separator: "\n") + "\n"
  }

  private func lines(of slot: JSONObject.Member, width: Int) -> [String] {
    switch slot.value {
    case .array(let elements): [slot.name] + elements.flatMap { lines(of: $0, indent: 2, width: width) }
    case .object(let object) where object["use"] == nil: [slot.name] + rows(object.members, indent: 2, width: width)
    case .object: [slot.name] + lines(of: slot.value, indent: 2, width: width)
    default: ["\(slot.name)", "  \(Self.text(of: slot.value))"]
    }
  }

  /// A stage, or a rendition with its stages.
  private func lines(of element: JSONValue, indent: Int, width: Int) -> [String] {
    guard case .object(let object) = element else { return [margin(indent) + Self.text(of: element)] }
    if let use = object["use"] {
      return [margin(indent) + Self.text(of: use)]
        + rows(object.members.filter { $0.name != "use" }, indent: indent + 2, width: width)
    }
    let name = object["name"].map(Self.text) ?? ""
    return [margin(indent) + name]
      + object.members.filter { $0.name != "name" }.flatMap { member -> [String] in
        let elements = if case .array(let elements) = member.value { elements } else { [member.value] }
        return [margin(indent + 2) + member.name]
          + elements.flatMap { lines(of: $0, indent: indent + 4, width: width) }
      }
  }

  private func rows(_ members: [JSONObject.Member], indent: Int, width: Int) -> [String] {
    TextTable(rows: members.map { [$0.name, Self.text(of: $0.value)] }, most: [26], indent: indent).lines(width: width)
  }

  private func margin(_ columns: Int) -> String { String(repeating: " ", count: columns) }

  private static func text(of value: JSONValue) -> String {
    switch value {
    case .null: "—"
    case .string(let text): DisplayText.escaped(text)
    default: DisplayText.escaped(value.compactText)
    }
  }
}

/// Puts what a configuration writes with variables back in place of what they stand for, and redacts passwords in URLs.
enum SecretsKept {
  static func apply(_ written: JSONValue?, to effective: JSONValue) -> JSONValue {
    if case .string(let text)? = written, text.contains("${") {
      // A bare string is a stage's name, or the path of one.
      guard case .object(var stage) = effective, stage["use"] != nil else {
        if case .array(let elements) = effective, elements.count == 1, case .object = elements[0] {
          return .array([apply(written, to: elements[0])])
        }
        return .string(text)
      }
      stage.set(stage["path"] == nil ? "use" : "path", .string(text))
      return .object(stage)
    }
    switch effective {
    case .object(let object):
      let known: JSONObject = if case .object(let known)? = written { known } else { [:] }
      return .object(
        JSONObject(object.members.map { .init(name: $0.name, value: apply(known[$0.name], to: $0.value)) }))
    case .array(let elements):
      // One value alone is a list of one.
      let known: [JSONValue?] = if case .array(let known)? = written { known } else { [written] }
      return .array(
        elements.enumerated().map { apply($0.offset < known.count ? known[$0.offset] : nil, to: $0.element) })
    case .string(let text) where text.contains("@"): return .string(ResourceURL.redacted(text))
    default: return effective
    }
  }
}
