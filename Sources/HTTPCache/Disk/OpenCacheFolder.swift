import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of a cache while it is open: its index, its bodies, and files that are being written.
///
/// It becomes useless when the folder is deleted or the index turns out to be damaged; then another one is opened.
final class OpenCacheFolder: Sendable {
  let path: String
  let bodies: BodyFiles
  let staging: StagingArea
  /// What was told while it was opened: an index that could not be used.
  let note: String?

  private let lock: CacheLock
  private let index: IndexFile
  private let reading: Lock<CacheIndex?>
  private let writing: Lock<CacheWriter?>
  private let committer: GroupCommitter<CacheChange, Void>
  private let uses: Lock<[Int: Int]>

  /// The index's file: it is still the one that was opened as long as the name leads to it.
  private struct IndexFile: Sendable {
    let path: String
    let device: dev_t
    let number: ino_t

    init(path: String) throws(FileError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw FileError("opening", path) }
      self.path = path
      device = status.st_dev
      number = status.st_ino
    }

    func checkThatItIsThere() throws(FileError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw FileError("opening", path) }
      guard status.st_dev == device, status.st_ino == number else { throw FileError("opening", path, number: ENOENT) }
    }
  }

  /// Opens the cache in a folder, which is made where there is none. What dead programs have left is removed.
  ///
  /// - Parameters:
  ///   - suspectsDamage: whether the index is read as a whole, to see whether it is to be replaced.
  ///   - pages: the most pages of the index; nil for no limit.
  init(
    path: String, capacity: Int, calls: any FileCalls, suspectsDamage: Bool, pages: Int?,
    now: @escaping @Sendable () -> Double
  ) throws {
    self.path = path
    try makeFolders(path, mode: 0o700)
    let folder = try openFolder(path)
    try makeFolders("bodies", in: folder.number, mode: 0o700)
    bodies = BodyFiles(folder: try openFolder("bodies", in: folder.number), calls: calls)
    lock = try CacheLock(path: path + "/lock", calls: calls)
    let found = try Self.openIndex(path, lock: lock, suspectsDamage: suspectsDamage)
    index = try IndexFile(path: path + "/" + Self.indexName)
    note = found.note
    if let pages { try found.connection.limitPages(to: pages) }
    let isAfterDeath = Self.removeDead(in: folder)
    staging = try StagingArea(in: folder)
    let writer = try CacheWriter(found.connection, bodies: bodies, staging: staging)
    if isAfterDeath || found.isNew { _ = try writer.removeStrays() }
    reading = Lock(try CacheIndex(SQLiteConnection(path: path + "/" + Self.indexName)))
    let writing = Lock<CacheWriter?>(writer)
    self.writing = writing
    let uses = Lock<[Int: Int]>([:])
    self.uses = uses
    let pace = GroupCommitter<CacheChange, Void>.Pace(largest: 256, quiet: .milliseconds(2), longest: .milliseconds(20))
    committer = try GroupCommitter(pace: pace) { [index] changes in
      do {
        try index.checkThatItIsThere()
        let used = uses.withLock { uses in
          defer { uses = [:] }
          return uses
        }
        let results = try writing.withLock { writer in
          try writer?.apply(changes, uses: used, capacity: capacity, now: Int(now() * 1000))
        }
        return results ?? []
      } catch {
        return changes.map { _ in .failure(error) }
      }
    }
  }

  deinit { staging.remove() }

  /// What the index is called.
  static let indexName = "index.sqlite"

  /// What is known of a key.
  func row(for key: ResourceKey) throws -> CacheIndex.Row? {
    try reading.withLock { try $0?.row(for: key) }
  }

  /// How much there is.
  func statistics(capacity: Int, now: Double) throws -> CacheStatistics? {
    try reading.withLock { try $0?.statistics(place: path, capacity: capacity, now: now) }
  }

  /// Returns when the change has been committed, with others.
  func commit(_ change: CacheChange) async throws {
    try await committer.commit(change)
  }

  /// Notes that an entry has been used; committed with the next change.
  ///
  /// - Returns: whether so many have been noted that they should be committed now.
  func noteUse(of id: Int, at time: Double) -> Bool {
    uses.withLock { uses in
      uses[id] = Int(time * 1000)
      return uses.count == 4096
    }
  }

  /// Calls `body` with what changes the cache, while nothing else of this program does.
  func withWriter<Value>(_ body: (CacheWriter) throws -> Value) throws -> Value {
    try index.checkThatItIsThere()
    return try writing.withLock { writer in
      guard let writer else { throw PipelineError(.cache, .cancelled, "the cache is closed") }
      return try body(writer)
    }
  }

  /// Removes what programs have left that died while they wrote.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  func removeDead() throws -> Bool { Self.removeDead(in: try openFolder(path)) }

  /// Commits what is waiting and closes everything.
  func close() async {
    if uses.withLock({ !$0.isEmpty }) { try? await committer.commit(.noteUses) }
    await committer.finish()
    writing.withLock { $0 = nil }
    reading.withLock { $0 = nil }
    lock.release()
  }

  /// Lets others replace the index, though calls may still be under way.
  func abandon() {
    lock.release()
  }

  private static func removeDead(in folder: FileDescriptor) -> Bool {
    let areas = { (try? openFolder(StagingArea.container, in: folder.number, following: false)).map(names) ?? [] }
    let before = areas()
    StagingArea.removeDead(in: folder)
    return !before.isEmpty && !Set(before).isSubset(of: areas())
  }

  private static func openIndex(
    _ path: String, lock: CacheLock, suspectsDamage: Bool
  ) throws -> (connection: SQLiteConnection, isNew: Bool, note: String?) {
    let file = SQLiteFile(path: path + "/" + indexName, schema: CacheIndex.schema)
    let isNew = access(file.path, F_OK) != 0
    do {
      return (try file.open(checksStructure: suspectsDamage), isNew, nil)
    } catch let error as SQLiteError where error.kind == .damaged || error.kind == .unsupported {
      // Whoever else has it open would go on with the old one.
      guard try lock.becomeExclusive() else { throw error }
      let (connection, setAside) = try file.openOrReplace()
      try lock.share()
      let note = setAside.map {
        "the cache \(path) could not be read and was started anew; its old index is \($0.path): \($0.reason)"
      }
      return (connection, setAside != nil, note)
    }
  }
}
