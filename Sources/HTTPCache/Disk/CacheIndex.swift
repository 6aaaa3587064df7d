import FetchPipeline
import SQLiteStore

/// What a cache has, in a database: look-ups, on a connection of their own, so that none waits for a commit.
final class CacheIndex {
  private let entry: SQLiteStatement
  private let count: SQLiteStatement

  /// What is known of an entry.
  struct Row {
    var id: Int
    /// The bytes of the body.
    var byteCount: Int
    /// What stands for them; nil for what an earlier version has stored.
    var digest: ContentDigest?
    /// Nil where it cannot be read.
    var head: StoredResponseHead?
  }

  init(_ connection: SQLiteConnection) throws {
    entry = try connection.prepare("SELECT id, bytes, digest, head FROM entries WHERE key = ?")
    count = try connection.prepare(
      "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(fresh_until > ?), 0), min(used), max(used) FROM entries")
  }

  func row(for key: ResourceKey) throws -> Row? {
    try entry.bind(1, key.digest.bytes)
    return try entry.first { row in
      Row(
        id: row.int(0), byteCount: row.int(1),
        digest: row.optionalInt(2).map { ContentDigest(rawValue: UInt64(bitPattern: Int64($0))) },
        head: StoredHeadCoding.decode(row.bytes(3)))
    }
  }

  func statistics(place: String, capacity: Int, now: Double) throws -> CacheStatistics? {
    try count.bind(1, now)
    return try count.first { row in
      CacheStatistics(
        place: place, entries: row.int(0), freshEntries: row.int(2), bytes: row.int(1), capacity: capacity,
        oldestUse: row.optionalInt(3).map { Double($0) / 1000 }, newestUse: row.optionalInt(4).map { Double($0) / 1000 }
      )
    }
  }
}
