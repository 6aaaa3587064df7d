import FetchPipeline

/// The stage `disk` of the slot `cache`.
public struct DiskCacheStage: Stage {
  /// It is a tier of the cache.
  public typealias Slot = CacheSlot
  /// What configurations call it.
  public static let name = "disk"
  /// What it does.
  public static let summary = "keeps answers on disk for this run and later ones; programs may share its folder"

  /// The folder; nil for the user's.
  public var path: String?
  /// The most bytes.
  public var capacity = ByteCount(1_000_000_000)
  /// Which query parameters count.
  public var key = QueryRule()

  /// The defaults.
  public init() {}

  /// A cache in a folder.
  public init(path: String, capacity: ByteCount = ByteCount(1_000_000_000), key: QueryRule = QueryRule()) {
    self.path = path
    self.capacity = capacity
    self.key = key
  }

  /// Its options.
  public static let options: [OptionDeclaration<DiskCacheStage>] = [
    .init(
      "path", \.path,
      "the folder; by default $XDG_CACHE_HOME/pipeline, else ~/.cache/pipeline, else .pipeline.cache in the output folder"
    ) { $0?.isEmpty == true ? "a folder is expected" : nil },
    .init("capacity", \.capacity, "the most bytes of bodies, in blocks of 4 KiB, and heads"),
    .init("key", \.key, "which query parameters count: for URLs with signatures that change"),
  ]

  /// The tier; nothing is touched before it is used.
  ///
  /// - Throws: `ConfigurationError` where no folder is named and there is none by default.
  public func make(in context: StageContext) throws -> any ResponseCache {
    guard let folder = folder(in: context) else {
      throw ConfigurationError(
        file: nil,
        problems: [
          ConfigurationProblem(
            path: "cache", message: "\"path\" is missing: there is neither XDG_CACHE_HOME, HOME nor an output folder")
        ])
    }
    return DiskCache(path: folder, capacity: capacity.bytes, rule: key, warn: context.warn)
  }

  /// The options, with the folder that the environment names.
  public func resolvedOptions(in context: StageContext) -> JSONObject {
    var resolved = self
    resolved.path = path ?? folder(in: context)
    return resolved.effectiveOptions
  }

  private func folder(in context: StageContext) -> String? {
    path.map(context.resolving) ?? CacheLocation.system.folder(stateFolder: context.stateFolder)
  }
}
