import FetchPipeline

/// How the rows of a list are written.
public enum ListFormat: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// By the name, then by the first bytes.
  case auto
  /// One URL a line; `#` starts a comment line.
  case txt
  /// One JSON object a line.
  case jsonl
  /// `jsonl`, compressed.
  case jsonlGzip = "jsonl.gz"
  /// `txt`, compressed.
  case txtGzip = "txt.gz"

  /// The format without its compression.
  var uncompressed: ListFormat {
    switch self {
    case .txtGzip: .txt
    case .jsonlGzip: .jsonl
    default: self
    }
  }

  /// Whether the list has to be compressed. One that is not said to be may be all the same.
  var isGzip: Bool { self != uncompressed }

  /// What the name of a file says; `auto` where it says nothing.
  init(nameOf path: String) {
    let name = path.lowercased()
    let plain = name.hasSuffix(".gz") ? name.dropLast(3) : name[...]
    let endings: [(String, ListFormat)] = [(".txt", .txt), (".jsonl", .jsonl), (".ndjson", .jsonl)]
    self = endings.first { plain.hasSuffix($0.0) }?.1 ?? .auto
  }
}
