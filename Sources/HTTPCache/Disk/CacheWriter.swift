import FetchPipeline
import SQLiteStore

/// A change of a cache.
enum CacheChange: Sendable {
  /// A body that was staged under a name becomes the answer of a key.
  case store(key: [UInt8], head: [UInt8], freshUntil: Double, byteCount: Int, digest: ContentDigest, staged: String)
  /// An entry gets another head.
  case update(id: Int, head: [UInt8], freshUntil: Double)
  /// What a key has goes.
  case remove(key: [UInt8])
  /// An entry goes.
  case removeEntry(id: Int)
  /// Nothing but what has been used since the last change.
  case noteUses
}

/// What changes a cache: many changes in one transaction. Bodies get their place inside it, and lose it after it, so that
/// whoever holds the write lock sees files and rows that belong together.
final class CacheWriter {
  let connection: SQLiteConnection
  let bodies: BodyFiles
  private let staging: StagingArea
  private let statements: Statements

  private struct Statements {
    let find: SQLiteStatement
    let look: SQLiteStatement
    let insert: SQLiteStatement
    let update: SQLiteStatement
    let delete: SQLiteStatement
    let use: SQLiteStatement
    let oldest: SQLiteStatement
    let total: SQLiteStatement
    let setTotal: SQLiteStatement
  }

  /// What a transaction has done so far.
  struct Effects {
    var entries = 0
    var size = 0
    /// Bodies that go when it is committed.
    var outdated: [String] = []
    /// Bodies that go when it is not.
    var placed: [String] = []
  }

  init(_ connection: SQLiteConnection, bodies: BodyFiles, staging: StagingArea) throws {
    self.connection = connection
    self.bodies = bodies
    self.staging = staging
    statements = Statements(
      find: try connection.prepare("SELECT id, key, size FROM entries WHERE key = ?"),
      look: try connection.prepare("SELECT id, key, size, bytes FROM entries WHERE id = ?"),
      insert: try connection.prepare(
        "INSERT INTO entries (key, head, bytes, size, fresh_until, used, digest) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id"
      ),
      update: try connection.prepare("UPDATE entries SET head = ?, size = ?, fresh_until = ?, used = ? WHERE id = ?"),
      delete: try connection.prepare("DELETE FROM entries WHERE id = ?"),
      use: try connection.prepare("UPDATE entries SET used = ? WHERE id = ? AND used < ?"),
      oldest: try connection.prepare("SELECT id, key, size FROM entries ORDER BY used, id LIMIT 64"),
      total: try connection.prepare("SELECT size FROM totals"),
      setTotal: try connection.prepare("UPDATE totals SET entries = entries + ?, size = size + ?"))
  }

  /// The bytes that an entry counts as: what its body takes on disk, in blocks of 4 KiB, and its head.
  static func size(byteCount: Int, head: [UInt8]) -> Int {
    let (end, overflow) = byteCount.addingReportingOverflow(4095)
    return overflow ? .max / 2 : end / 4096 * 4096 + head.count
  }

  /// Makes the changes and brings the cache back to its capacity.
  ///
  /// - Parameters:
  ///   - uses: entries that have been used, and when, in milliseconds since 1970.
  ///   - now: milliseconds since 1970.
  /// - Returns: what became of each change: a body may fail to get its place without harm to the others.
  func apply(_ changes: [CacheChange], uses: [Int: Int], capacity: Int, now: Int) throws -> [Result<Void, any Error>] {
    var results: [Result<Void, any Error>] = []
    try transaction { effects in
      for (id, time) in uses {
        try statements.use.bind(1, time)
        try statements.use.bind(2, id)
        try statements.use.bind(3, time)
        try statements.use.run()
      }
      for change in changes { results.append(try apply(change, now: now, &effects)) }
      try shrink(to: capacity, &effects)
    }
    return results
  }

  /// A transaction with the files that belong to it.
  func transaction(_ body: (inout Effects) throws -> Void) throws {
    var effects = Effects()
    do {
      try connection.transaction {
        try body(&effects)
        try statements.setTotal.bind(1, effects.entries)
        try statements.setTotal.bind(2, effects.size)
        try statements.setTotal.run()
      }
    } catch {
      for path in effects.placed { bodies.remove(path) }
      throw error
    }
    for path in effects.outdated { bodies.remove(path) }
  }

  private func apply(_ change: CacheChange, now: Int, _ effects: inout Effects) throws -> Result<Void, any Error> {
    switch change {
    case .store(let key, let head, let freshUntil, let byteCount, let digest, let staged):
      try remove(key: key, &effects)
      let size = Self.size(byteCount: byteCount, head: head)
      let insert = statements.insert
      try insert.bind(1, key)
      try insert.bind(2, head)
      try insert.bind(3, byteCount)
      try insert.bind(4, size)
      try insert.bind(5, freshUntil)
      try insert.bind(6, now)
      try insert.bind(7, Int(truncatingIfNeeded: digest.rawValue))
      guard let id = try insert.first({ $0.int(0) }) else { return .success(()) }
      let path = BodyFiles.path(key: key, id: id)
      do { try bodies.place(staged, of: staging, at: path) } catch {
        try delete(id)
        return .failure(error)
      }
      effects.placed.append(path)
      effects.entries += 1
      effects.size += size
    case .update(let id, let head, let freshUntil):
      try statements.look.bind(1, id)
      guard let old = try statements.look.first({ ($0.int(2), $0.int(3)) }) else { return .success(()) }
      let size = Self.size(byteCount: old.1, head: head)
      let update = statements.update
      try update.bind(1, head)
      try update.bind(2, size)
      try update.bind(3, freshUntil)
      try update.bind(4, now)
      try update.bind(5, id)
      try update.run()
      effects.size += size - old.0
    case .remove(let key): try remove(key: key, &effects)
    case .removeEntry(let id):
      try statements.look.bind(1, id)
      if let found = try statements.look.first(Self.found) { try remove(found, &effects) }
    case .noteUses: break
    }
    return .success(())
  }

  /// Removes what was used longest ago until the rest fits.
  @discardableResult
  func shrink(to capacity: Int, _ effects: inout Effects) throws -> CacheRemoval {
    var removal = CacheRemoval()
    let before = try statements.total.first { $0.int(0) } ?? 0
    while before + effects.size > capacity {
      let oldest = try statements.oldest.all(Self.found)
      if oldest.isEmpty { break }
      for entry in oldest where before + effects.size > capacity {
        try remove(entry, &effects)
        removal.entries += 1
        removal.bytes += entry.size
      }
    }
    return removal
  }

  func remove(_ entry: Found, _ effects: inout Effects) throws {
    try delete(entry.id)
    effects.entries -= 1
    effects.size -= entry.size
    effects.outdated.append(BodyFiles.path(key: entry.key, id: entry.id))
  }

  /// An entry that may have to go.
  struct Found {
    var id: Int
    var key: [UInt8]
    var size: Int
  }

  static func found(_ row: SQLiteStatement) -> Found {
    Found(id: row.int(0), key: row.bytes(1), size: row.int(2))
  }

  private func remove(key: [UInt8], _ effects: inout Effects) throws {
    try statements.find.bind(1, key)
    if let found = try statements.find.first(Self.found) { try remove(found, &effects) }
  }

  private func delete(_ id: Int) throws {
    try statements.delete.bind(1, id)
    try statements.delete.run()
  }
}
