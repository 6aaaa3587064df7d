import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection to a database file.
///
/// Not thread-safe and not `Sendable`: keep it, with its statements, behind one lock or on one thread. Statements keep
/// their connection; it is closed when the last of them and the connection itself have gone.
public final class SQLiteConnection {
  let handle: OpaquePointer
  private var begin: SQLiteStatement.Prepared?
  private var commit: SQLiteStatement.Prepared?
  private var rollback: SQLiteStatement.Prepared?

  /// How much a commit waits for the disk.
  public enum Synchronization: String, Sendable, Hashable {
    /// A commit survives the death of the program; the database stays whole in a power cut, which may undo commits.
    case normal = "NORMAL"
    /// A commit survives a power cut.
    case full = "FULL"
  }

  /// Opens the database at `path`, and makes it where there is none, with a write-ahead log
  /// (sqlite.org/wal.html), so that readers and one writer do not wait for each other.
  ///
  /// - Parameter busyTimeout: how long a statement waits for another connection's lock, in milliseconds.
  public init(
    path: String, synchronization: Synchronization = .normal, busyTimeout: Int32 = 5_000
  ) throws(SQLiteError) {
    var opened: OpaquePointer?
    // No mutex of SQLite's own: a connection is confined by its owner.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code: code, of: opened, doing: "opening \(path)")
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(opened, busyTimeout)
    try beginLog(within: .milliseconds(Int(busyTimeout)))
    try execute("PRAGMA synchronous = \(synchronization.rawValue)")
  }

  /// Opens an existing database for reading. Nothing is made beside it.
  public init(reading path: String, busyTimeout: Int32 = 5_000) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    // Without a log nobody writes, and the index of one, which reading would make, is not needed
    // (sqlite.org/wal.html, "Read-Only Databases"). With a log the index is there as well.
    let isAtRest = Self.isEmpty("\(path)-wal")
    let code = sqlite3_open_v2(Self.uri(of: path) + (isAtRest ? "?immutable=1" : ""), &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code: code, of: opened, doing: "opening \(path)")
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(opened, busyTimeout)
  }

  private static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_size == 0
  }

  /// As SQLite reads it (sqlite.org/uri.html).
  private static func uri(of path: String) -> String {
    "file:"
      + path.utf8.map { byte in
        let isPlain =
          byte > 0x20 && byte < 0x7f && ![UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte)
        let hex = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(decoding: CollectionOfOne(byte), as: UTF8.self) : "%\(byte < 16 ? "0" : "")\(hex)"
      }.joined()
  }

  /// Has changes written to a log. Where the file system has no shared memory the rollback journal stays, which is
  /// slower and as safe.
  ///
  /// The pragma reads the file before it asks for the lock to write, and a reader that is refused that lock is told so at
  /// once, without the busy timeout (sqlite.org/c3ref/busy_handler.html): several programs may make the file together.
  private func beginLog(within timeout: Duration) throws(SQLiteError) {
    let start = ContinuousClock.now
    while true {
      do {
        return try execute("PRAGMA journal_mode = WAL")
      } catch {
        guard error.kind == .busy, ContinuousClock.now - start < timeout else { throw error }
        usleep(2_000)
      }
    }
  }

  deinit {
    // Statements that are still there keep the C object alive until they go.
    sqlite3_close_v2(handle)
  }

  /// Runs statements that take no values, one after the other; rows they give are ignored.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle, doing: "\"\(sql.prefix(80))\"") }
  }

  /// A statement that is compiled once and run often.
  public func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    SQLiteStatement(try SQLiteStatement.Prepared(sql, on: handle), of: self)
  }

  /// Runs `body` in a transaction that writes: all that it changes is kept, or nothing of it where it throws.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run(&begin, "BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run(&commit, "COMMIT")
      return result
    } catch {
      // SQLite has rolled back by itself after some errors; then this one fails, and nothing is lost by it.
      try? run(&rollback, "ROLLBACK")
      throw error
    }
  }

  /// The application's own version number in the file's header; 0 in a new database.
  public func userVersion() throws(SQLiteError) -> Int { try integer("PRAGMA user_version") }

  /// The first column of the first row of a statement.
  public func integer(_ sql: String) throws(SQLiteError) -> Int {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : 0
  }

  /// The most pages that the file may grow to; more is an error of kind `full`. For quotas, and for tests of a full disk.
  public func limitPages(to count: Int) throws(SQLiteError) {
    try execute("PRAGMA max_page_count = \(count)")
  }

  /// Throws an error of kind `damaged` unless the structure of the file is whole. Reads all of it: about 1 ms a MB.
  public func checkStructure() throws(SQLiteError) {
    let statement = try prepare("PRAGMA quick_check(1)")
    defer { statement.reset() }
    guard try statement.step(), statement.string(0) == "ok" else {
      throw SQLiteError(kind: .damaged, code: SQLITE_CORRUPT, message: "checking: \(statement.string(0))")
    }
  }

  private func run(_ slot: inout SQLiteStatement.Prepared?, _ sql: String) throws(SQLiteError) {
    let statement: SQLiteStatement.Prepared
    if let prepared = slot {
      statement = prepared
    } else {
      statement = try SQLiteStatement.Prepared(sql, on: handle)
      slot = statement
    }
    defer { sqlite3_reset(statement.handle) }
    let code = sqlite3_step(statement.handle)
    guard code == SQLITE_DONE else { throw SQLiteError(code: code, of: handle, doing: sql) }
  }
}
