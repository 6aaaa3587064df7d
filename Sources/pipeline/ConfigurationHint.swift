import StandardStages

/// Tells a file that is something else than it was taken for.
enum ConfigurationHint {
  /// What to say of a file that is given as a configuration and is none; nil where it may be one.
  static func text(for bytes: [UInt8], path: String) -> String? {
    if let kind = FormatSniffer.kind(of: bytes), FormatSniffer.isBinary(bytes) || kind == "an HTML page" {
      return "\(path) is \(kind), not a configuration"
    }
    if let other = ["yaml", "yml", "toml", "xml", "ini"].first(where: { path.lowercased().hasSuffix(".\($0)") }) {
      return
        "\(path) is \(other.uppercased()) by its name: a configuration is JSON5 (JSON with comments), config.json for example"
    }
    let lines = bytes.prefix(65_536).split(separator: 0x0a).lazy.map { String(decoding: $0, as: UTF8.self) }
    guard let first = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
    let line = first.drop(while: \.isWhitespace)
    let isURL = ["http://", "https://"].contains { line.lowercased().hasPrefix($0) }
    let isRow = line.hasPrefix("{\"") && isRow(line)
    let named = ListFormat.named(path)
    let isNamed = named.isGzip || ![.auto, .json].contains(named.format)
    guard isURL || isRow || isNamed else { return nil }
    return
      "\(path) is a list\(isURL ? " of URLs" : isRow ? " (JSON Lines)" : " by its name"), not a configuration: write {input: \"\(path)\"} into a file, "
      + "config.json for example, and name that"
  }

  /// Whether a line is an object on its own that has a URL and nothing that a configuration has.
  private static func isRow(_ line: Substring) -> Bool {
    guard case .object(let object)? = try? JSONReader.value(of: Array(line.utf8)) else { return false }
    let slots = Set(PipelineConfiguration.slotDescriptions.map(\.name))
    return object["url"] != nil && !object.members.contains { slots.contains($0.name) && $0.name != "cache" }
  }

  /// What to say of a file that is given as a list and is none; nil where it may be one.
  static func text(forList path: String, head: [UInt8]) -> String? {
    if head.starts(with: [0x1f, 0x8b]) { return nil }
    guard let kind = FormatSniffer.kind(of: head), FormatSniffer.isBinary(head) || kind == "an HTML page" else {
      return nil
    }
    return "\(path) is \(kind), not a list: a list has a URL on each line, or is csv, tsv, json or jsonl"
  }
}
