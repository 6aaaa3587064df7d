import FetchPipeline

/// How the rows of a list are written.
public enum ListFormat: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// By the name, then by the first bytes.
  case auto
  /// One URL a line; `#` starts a comment line.
  case txt
  /// Comma-separated values (RFC 4180).
  case csv
  /// Tab-separated values, quoted as in `csv`.
  case tsv
  /// A list of JSON objects.
  case json
  /// One JSON object a line.
  case jsonl
  /// `txt`, compressed (RFC 1952), as are the others.
  case txtGzip = "txt.gz"
  case csvGzip = "csv.gz"
  case tsvGzip = "tsv.gz"
  case jsonGzip = "json.gz"
  case jsonlGzip = "jsonl.gz"

  /// The format without its compression.
  var uncompressed: ListFormat {
    switch self {
    case .txtGzip: .txt
    case .csvGzip: .csv
    case .tsvGzip: .tsv
    case .jsonGzip: .json
    case .jsonlGzip: .jsonl
    default: self
    }
  }

  /// What the name of a file says of its rows, and whether it says that they are compressed.
  ///
  /// The format is `auto` where the name does not say.
  public static func named(_ path: String) -> (format: ListFormat, isGzip: Bool) {
    let name = path.lowercased()
    let isGzip = name.hasSuffix(".gz")
    let plain = isGzip ? name.dropLast(3) : name[...]
    let endings: [(ending: String, format: ListFormat)] = [
      (".txt", .txt), (".csv", .csv), (".tsv", .tsv), (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl),
    ]
    return (endings.first { plain.hasSuffix($0.ending) }?.format ?? .auto, isGzip)
  }

  /// What cuts a list of this format into rows.
  var splitter: any RecordSplitter {
    switch uncompressed {
    case .csv: SeparatedValuesSplitter(separator: UInt8(ascii: ","))
    case .tsv: SeparatedValuesSplitter(separator: UInt8(ascii: "\t"))
    case .json: JSONElementSplitter()
    default: LineSplitter()
    }
  }
}
