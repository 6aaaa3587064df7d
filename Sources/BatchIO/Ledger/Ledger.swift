import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What is known of each resource, in a database file: it answers "is this done?" in a few microseconds, survives the
/// death of the program at any moment, and never needs the list.
///
/// Its memory does not depend on how much it holds. Only one program at a time may have it open (`RunLock`).
public final class Ledger: ReceiptStore {
  /// The number of this run, from 1.
  public let run: Int
  /// A ledger that could not be used, and where it is now; nil where this one was fine, or new.
  public let setAside: SQLiteFile.SetAside?

  /// What calls read from; nil after the end.
  private struct Reading {
    var tables: LedgerReader?
    /// The names that this run has taken and not yet recorded.
    var claims: [String: ResourceKey] = [:]
  }

  enum Entry: Sendable {
    case receipt(Receipt)
    case failure(RememberedFailure)
  }

  private let reading: Lock<Reading>
  private let writing: Lock<LedgerWriter?>
  private let committer: GroupCommitter<Entry, Void>

  /// Opens the ledger at `path`, or makes one. A damaged one, or one of a newer version, is renamed.
  ///
  /// - Parameters:
  ///   - durability: whether what is recorded also survives a power cut (all but `none`).
  ///   - maximumPages: the most pages of 4 KiB that the file may have; nil for no limit.
  /// - Throws: `disk-full`, `write`.
  public convenience init(path: String, durability: Durability = .batch, maximumPages: Int? = nil) throws {
    do {
      try self.init(opening: path, durability, maximumPages)
    } catch {
      throw Self.pipelineError(error)
    }
  }

  private init(opening path: String, _ durability: Durability, _ maximumPages: Int?) throws {
    let file = SQLiteFile(path: path, schema: Self.schema)
    let (connection, setAside) = try file.openOrReplace(synchronization: Self.synchronization(for: durability))
    if let maximumPages { try connection.limitPages(to: maximumPages) }
    let writer = try LedgerWriter(connection)
    run = try writer.beginRun(at: Self.now())
    self.setAside = setAside
    let reader = try LedgerReader(SQLiteConnection(path: path))
    reading = Lock(Reading(tables: reader))
    let writing = Lock<LedgerWriter?>(writer)
    self.writing = writing
    let pace = GroupCommitter<Entry, Void>.Pace(largest: 512, quiet: .milliseconds(3), longest: .milliseconds(50))
    committer = try GroupCommitter(pace: pace) { entries in
      let result = Result { try writing.withLock { try $0?.write(entries) } }.map { _ in () }
        .mapError { Self.pipelineError($0) as any Error }
      return entries.map { _ in result }
    }
  }

  /// What a commit waits for.
  static func synchronization(for durability: Durability) -> SQLiteConnection.Synchronization {
    durability == .none ? .normal : .full
  }

  /// What was made of a resource, recorded by this run or an earlier one: some 10 µs, however many names it has.
  public func receipt(for key: ResourceKey) throws -> Receipt? {
    try withTables { try $0.receipt(for: key) }
  }

  /// The failure that is remembered of a resource under a recipe.
  public func failure(for key: ResourceKey, recipe: Digest) throws -> RememberedFailure? {
    try withTables { try $0.failure(for: key, recipe: recipe) }
  }

  /// Takes a path for a key: against the names that this run has taken and those that any run has recorded.
  public func claim(_ path: String, for key: ResourceKey) throws -> Bool {
    try mappingErrors {
      try reading.withLock { reading in
        if let holder = reading.claims[path] { return holder == key }
        guard let tables = reading.tables else { throw Self.ended }
        if let holder = try tables.holder(of: path) { return holder == key.digest.bytes }
        reading.claims[path] = key
        return true
      }
    }
  }

  /// Whether a path is the key's: taken by this run, or recorded.
  public func holds(_ path: String, for key: ResourceKey) throws -> Bool {
    try mappingErrors {
      try reading.withLock { reading in
        if let holder = reading.claims[path] { return holder == key }
        guard let tables = reading.tables else { throw Self.ended }
        return try tables.holder(of: path) == key.digest.bytes
      }
    }
  }

  /// What is recorded under a path, where that is a picture of the key.
  public func picture(at path: String, of key: ResourceKey) throws -> StoredImage? {
    try withTables { try $0.picture(at: path, of: key) }
  }

  /// Gives up a name that this run has taken and not recorded.
  public func release(_ path: String, for key: ResourceKey) {
    reading.withLock { if $0.claims[path] == key { $0.claims[path] = nil } }
  }

  /// Keeps a receipt, and forgets the failures of its resource. Returns when it is committed, with others.
  ///
  /// - Throws: `disk-full`, `write`; then the run cannot go on.
  public func record(_ receipt: Receipt) async throws {
    try await committer.commit(.receipt(receipt))
    // From here on the table holds these names.
    reading.withLock { reading in
      for image in receipt.images where reading.claims[image.path] == receipt.key { reading.claims[image.path] = nil }
    }
  }

  /// Keeps a failure. Returns when it is committed, with others.
  ///
  /// - Throws: `disk-full`, `write`; then the run cannot go on.
  public func record(_ failure: RememberedFailure) async throws {
    try await committer.commit(.failure(failure))
  }

  /// Commits what is waiting and closes the file.
  public func shutdown() async {
    await committer.finish()
    writing.withLock { writer in
      // A run without an end is one that was killed; nothing depends on it.
      try? writer?.endRun(run, at: Self.now())
      writer = nil
    }
    reading.withLock { $0.tables = nil }
  }

  private func withTables<Value>(_ body: (LedgerReader) throws -> Value) throws -> Value {
    try mappingErrors {
      try reading.withLock { reading in
        guard let tables = reading.tables else { throw Self.ended }
        return try body(tables)
      }
    }
  }

  private func mappingErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw Self.pipelineError(error) }
  }

  private static let ended = PipelineError(.output, .cancelled, "the ledger is closed")

  private static func pipelineError(_ error: any Error) -> PipelineError {
    guard let error = error as? SQLiteError else { return PipelineError(error, at: .output, as: .write) }
    switch error.kind {
    case .full: return PipelineError(.output, .diskFull, "the ledger cannot be written: \(error)", underlying: error)
    case .damaged:
      return PipelineError(
        .output, .write, "the ledger is damaged, and the next run will start a new one: \(error)", underlying: error,
        endsRun: true)
    default:
      return PipelineError(.output, .write, "the ledger fails: \(error)", underlying: error, endsRun: true)
    }
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
