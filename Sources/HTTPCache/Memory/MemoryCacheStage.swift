import FetchPipeline

/// The stage `memory` of the slot `cache`.
public struct MemoryCacheStage: Stage {
  /// It is a tier of the cache.
  public typealias Slot = CacheSlot
  /// What configurations call it.
  public static let name = "memory"
  /// What it does.
  public static let summary = "keeps answers in memory for the run; those used longest ago go first"

  /// The most bytes.
  public var capacity = ByteCount.mebibytes(50)

  /// The defaults.
  public init() {}

  /// A tier of that capacity.
  public init(capacity: ByteCount) {
    self.capacity = capacity
  }

  /// Its options.
  public static let options: [OptionDeclaration<MemoryCacheStage>] = [
    .init("capacity", \.capacity, "the most bytes of bodies and heads")
  ]

  /// The tier.
  public func make(in context: StageContext) -> any ResponseCache { MemoryCache(capacity: capacity.bytes) }
}
