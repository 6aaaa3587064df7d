import FetchPipeline

/// Claims that are kept in memory alone.
final class MemoryClaims: PathClaims {
  private let holders = Lock<[String: ResourceKey]>([:])

  func claim(_ path: String, for key: ResourceKey) throws -> Bool {
    holders.withLock { holders in
      if let holder = holders[path] { return holder == key }
      holders[path] = key
      return true
    }
  }

  func holds(_ path: String, for key: ResourceKey) -> Bool { holders.withLock { $0[path] == key } }

  func release(_ path: String, for key: ResourceKey) {
    holders.withLock { if $0[path] == key { $0[path] = nil } }
  }

  var taken: [String] { holders.withLock { $0.keys.sorted() } }
}
