import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A tier on disk: an SQLite index of heads, sizes and uses, and a file for each body.
///
/// - The folder is made and opened when something is first asked of it; several programs may use it at the same time.
/// - An answer is there whole or not at all, also after the death of the program. A power cut may undo the last commits,
///   and a body that it has shortened is a miss.
/// - An index that is damaged, or a newer version's, is set aside with a warning, and a new one is started.
/// - A folder that is deleted underneath is made again.
/// - The capacity holds after each commit; what was used longest ago goes first, by the cache's own record.
public final class DiskCache: ResponseCache {
  /// The folder.
  public let path: String
  /// The most bytes: what bodies take on disk, in blocks of 4 KiB, and heads.
  public let capacity: Int
  /// Which query parameters count.
  public let rule: QueryRule

  let calls: any FileCalls
  let now: @Sendable () -> Double
  private let maximumPages: Int?
  private let warn: @Sendable (String) -> Void
  private let state = Lock(State())

  private struct State {
    var opened: OpenCacheFolder?
    var damage: IndexDamage?
    var isOver = false
  }

  /// A cache in the folder `path`; nothing is touched before it is used.
  ///
  /// - Parameter warn: is told, in a sentence, of an index that was set aside.
  public convenience init(
    path: String, capacity: Int = 1_000_000_000, rule: QueryRule = QueryRule(),
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      path: path, capacity: capacity, rule: rule, warn: warn, calls: SystemFileCalls(), now: { WallClock.now })
  }

  init(
    path: String, capacity: Int, rule: QueryRule = QueryRule(), warn: @escaping @Sendable (String) -> Void = { _ in },
    calls: any FileCalls, maximumPages: Int? = nil, now: @escaping @Sendable () -> Double
  ) {
    self.path = path
    self.capacity = capacity
    self.rule = rule
    self.warn = warn
    self.calls = calls
    self.maximumPages = maximumPages
    self.now = now
  }

  /// The request's key, without the parameters that do not count.
  public func key(for request: HTTPRequest) -> ResourceKey { rule.key(for: request) }

  /// What is stored for `key`, its body open. What has no readable body is removed.
  public func snapshot(for key: ResourceKey) async throws -> (any CacheSnapshot)? {
    try await reopening { opened in
      guard let row = try opened.row(for: key) else { return nil }
      let path = BodyFiles.path(key: key.digest.bytes, id: row.id)
      guard let head = row.head, let file = try opened.bodies.open(path, byteCount: row.byteCount) else {
        try await opened.commit(.removeEntry(id: row.id))
        return nil
      }
      if opened.noteUse(of: row.id, at: self.now()) { try await opened.commit(.noteUses) }
      return DiskSnapshot(
        cache: self, id: row.id, head: head, byteCount: row.byteCount, digest: row.digest, file: file, path: path)
    }
  }

  /// Starts to store an answer. Nothing is written before it is committed.
  public func edit(_ key: ResourceKey) -> (any CacheEditor)? {
    DiskEditor(cache: self, key: key)
  }

  /// Removes what is stored for `key`.
  public func remove(_ key: ResourceKey) async throws {
    try await reopening { try await $0.commit(.remove(key: key.digest.bytes)) }
  }

  /// Commits what is waiting and closes the files.
  public func shutdown() async {
    let opened = state.withLock { state in
      defer {
        state.opened = nil
        state.isOver = true
      }
      return state.opened
    }
    await opened?.close()
  }

  func store(_ head: StoredResponseHead, _ body: BodyParts, for key: ResourceKey) async throws {
    let encoded = StoredHeadCoding.encode(head)
    let key = key.digest.bytes
    guard body.isWhole(by: head) else { return }
    guard CacheWriter.size(byteCount: body.count, head: encoded) <= capacity else {
      // What is there is not the newest answer any more.
      return try await reopening { try await $0.commit(.remove(key: key)) }
    }
    let freshUntil = CachePolicy().freshUntil(head)
    let digest = ContentDigest(of: body.joined)
    try await reopening { opened in
      let name = try opened.bodies.stage(body, in: opened.staging)
      do {
        try await opened.commit(
          .store(key: key, head: encoded, freshUntil: freshUntil, byteCount: body.count, digest: digest, staged: name))
      } catch {
        unlinkat(opened.staging.folder.number, name, 0)
        throw error
      }
    }
  }

  func update(_ id: Int, to head: StoredResponseHead) async throws {
    let change = CacheChange.update(
      id: id, head: StoredHeadCoding.encode(head), freshUntil: CachePolicy().freshUntil(head))
    try await reopening { try await $0.commit(change) }
  }

  /// Calls `body` with the open folder, and once more with another one where the first turns out to be of no use: it has
  /// been deleted, or its index is damaged.
  func reopening<Value>(_ body: (OpenCacheFolder) async throws -> Value) async throws -> Value {
    let first = try open()
    do {
      return try await body(first)
    } catch {
      guard giveUp(first, because: error) else { throw error }
    }
    let second = try open()
    do {
      return try await body(second)
    } catch {
      _ = giveUp(second, because: error)
      throw error
    }
  }

  private func open() throws -> OpenCacheFolder {
    let (opened, note) = try state.withLock { state -> (OpenCacheFolder, String?) in
      if let opened = state.opened { return (opened, nil) }
      if state.isOver { throw PipelineError(.cache, .cancelled, "the cache is closed") }
      let opened: OpenCacheFolder
      do {
        opened = try open(settingAside: state.damage)
      } catch let error as SQLiteError where error.kind == .damaged && state.damage == nil {
        state.damage = IndexDamage(
          index: try IndexFile(path: path + "/" + OpenCacheFolder.indexName), error: error)
        opened = try open(settingAside: state.damage)
      }
      state.opened = opened
      state.damage = nil
      return (opened, opened.note)
    }
    if let note { warn(note) }
    return opened
  }

  private func open(settingAside damage: IndexDamage?) throws -> OpenCacheFolder {
    try OpenCacheFolder(
      path: path, capacity: capacity, calls: calls, damage: damage, pages: maximumPages, now: now)
  }

  /// Whether an error means that the open folder is of no use; then it is forgotten.
  private func giveUp(_ opened: OpenCacheFolder, because error: any Error) -> Bool {
    let damage: IndexDamage?
    switch error {
    case let error as SQLiteError where error.kind == .damaged:
      damage = IndexDamage(index: opened.index, error: error)
    case let error as FileError where error.number == ENOENT: damage = nil
    default: return false
    }
    let isOurs = state.withLock { state in
      guard state.opened === opened else { return false }
      state.opened = nil
      state.damage = damage
      return true
    }
    if isOurs { opened.abandon() }
    return true
  }
}
