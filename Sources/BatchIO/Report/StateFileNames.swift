import FetchPipeline

/// What the files of a run's state are called, for the whole list or for one share of it.
struct StateFileNames: Sendable {
  /// What the names of hidden files start with; no picture's name does.
  static let hiddenPrefix = ".pipeline"
  /// The folder for files that are being written.
  static let staging = StagingArea.container

  private let tag: String

  /// - Parameter shard: the share, and of how many; nil for the whole list.
  init(shard: (index: Int, count: Int)? = nil) {
    tag = shard.map { "-\($0.index)-of-\($0.count)" } ?? ""
  }

  var ledger: String { ".pipeline\(tag).sqlite" }
  var lock: String { ".pipeline\(tag).lock" }
  var report: String { "report\(tag).jsonl" }
  var summary: String { "summary\(tag).json" }
  var failed: String { "failed\(tag).jsonl" }

  /// Whether a path in the output folder is one of these files, of any share, or leads into a folder of such a name:
  /// then no picture gets it. Letter case makes no difference, as on some file systems it makes none.
  static func isReserved(_ path: String) -> Bool {
    let name = path.prefix { $0 != "/" }.lowercased()
    if name.hasPrefix(hiddenPrefix) { return true }
    for (stem, ending) in [("report", ".jsonl"), ("summary", ".json"), ("failed", ".jsonl")]
    where name.hasPrefix(stem) && name.hasSuffix(ending) && name.utf8.count >= stem.utf8.count + ending.utf8.count {
      let rest = name.dropFirst(stem.count).dropLast(ending.count)
      let tag = rest.split(separator: "-", omittingEmptySubsequences: false)
      if tag == [""] || tag.count == 4 && tag[0].isEmpty && tag[2] == "of" { return true }
    }
    return false
  }
}
