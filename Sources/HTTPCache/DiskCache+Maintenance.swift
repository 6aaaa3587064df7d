import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Looking into a cache, and tidying it up; other programs may go on using it meanwhile. Nothing is made where there is
/// no cache yet.
extension DiskCache: MaintainableCache {
  /// What is in it.
  public func statistics() async throws -> CacheStatistics {
    let none = CacheStatistics(place: path, entries: 0, freshEntries: 0, bytes: 0, capacity: capacity)
    guard exists else { return none }
    return try await reopening { try $0.statistics(capacity: capacity, now: now()) } ?? none
  }

  /// Removes entries that cannot be read or exceed the capacity, files that belong to no entry, and indexes that were set
  /// aside.
  public func prune() async throws -> CacheRemoval {
    guard exists else { return CacheRemoval() }
    return try await reopening { opened in
      var strays = try removeSetAside()
      try opened.removeDead()
      var removal = try opened.withWriter { writer in
        try writer.connection.checkStructure()
        return try writer.prune(capacity: capacity)
      }
      strays += removal.strayFiles
      removal.strayFiles = strays
      return removal
    }
  }

  /// Removes everything.
  public func clear() async throws -> CacheRemoval {
    guard exists else { return CacheRemoval() }
    return try await reopening { opened in
      let strays = try removeSetAside()
      try opened.removeDead()
      var removal = try opened.withWriter { try $0.clear() }
      removal.strayFiles += strays
      return removal
    }
  }

  private var exists: Bool { access(path + "/" + OpenCacheFolder.indexName, F_OK) == 0 }

  private func removeSetAside() throws(FileError) -> Int {
    let folder = try openFolder(path)
    let index = OpenCacheFolder.indexName
    return names(in: folder).count { name in
      [".damaged-", ".unsupported-"].contains { name.hasPrefix(index + $0) }
        && unlinkat(folder.number, name, 0) == 0
    }
  }
}

extension CacheWriter {
  /// Removes the files that belong to no entry; returns how many.
  func removeStrays() throws -> Int {
    var strays = 0
    // Nobody gives a body its place while the write lock is held.
    try transaction { _ in strays = try removeFiles(besides: try bodyPaths()) }
    return strays
  }

  func prune(capacity: Int) throws -> CacheRemoval {
    var removal = CacheRemoval()
    try transaction { effects in
      let all = try connection.prepare("SELECT id, key, size, bytes, head FROM entries")
      let unreadable = try all.all { row -> Found? in
        let entry = Self.found(row)
        let path = BodyFiles.path(key: entry.key, id: entry.id)
        let isReadable =
          try StoredHeadCoding.decode(row.bytes(4)) != nil
          && bodies.open(path, byteCount: row.int(3)) != nil
        return isReadable ? nil : entry
      }
      for case let entry? in unreadable {
        try remove(entry, &effects)
        removal.entries += 1
        removal.bytes += entry.size
      }
      // The totals of what is there now, whatever they were.
      effects.entries = 0
      effects.size = 0
      try connection.execute(
        "UPDATE totals SET entries = (SELECT count(*) FROM entries), "
          + "size = (SELECT coalesce(sum(size), 0) FROM entries)")
      let excess = try shrink(to: capacity, &effects)
      removal.entries += excess.entries
      removal.bytes += excess.bytes
      removal.strayFiles = try removeFiles(besides: try bodyPaths().union(effects.outdated))
    }
    return removal
  }

  func clear() throws -> CacheRemoval {
    var removal = CacheRemoval()
    try transaction { effects in
      let known = try bodyPaths()
      removal.entries = known.count
      removal.bytes = try connection.integer("SELECT coalesce(sum(size), 0) FROM entries")
      try connection.execute("DELETE FROM entries")
      try connection.execute("UPDATE totals SET entries = 0, size = 0")
      removal.strayFiles = try removeFiles(besides: known)
      effects.outdated += known
    }
    // The room is given back where nobody else reads at the moment.
    try? connection.execute("VACUUM")
    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removal
  }

  private func bodyPaths() throws -> Set<String> {
    let all = try connection.prepare("SELECT key, id FROM entries")
    return Set(try all.all { BodyFiles.path(key: $0.bytes(0), id: $0.int(1)) })
  }

  private func removeFiles(besides known: Set<String>) throws -> Int {
    var count = 0
    for path in bodies.paths where !known.contains(path) {
      bodies.remove(path)
      count += 1
    }
    return count
  }
}
