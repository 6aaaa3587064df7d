import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a ledger knows, to look at: nothing is written, and no file is made. Where there is no ledger, nothing is known.
public final class LedgerSnapshot: ReceiptStore {
  /// The number that the next run would have.
  public let run: Int
  /// Why a ledger that is there cannot be read, in a sentence; a run would begin a new one.
  public let problem: String?
  private let tables: Lock<LedgerReader?>

  /// The ledger of a state folder, for the whole list or for one share of it.
  public init(folder: String, shard: (index: Int, count: Int)? = nil) {
    let path = "\(folder)/\(StateFileNames(shard: shard).ledger)"
    var problem: String?
    var run = 1
    var reader: LedgerReader?
    if access(path, F_OK) == 0 {
      do {
        let connection = try SQLiteConnection(reading: path)
        try Ledger.schema.check(connection)
        run = try connection.integer("SELECT coalesce(max(run), 0) + 1 FROM runs")
        reader = try LedgerReader(connection)
      } catch {
        problem = "the ledger \(path) cannot be read (\(error)); a run would bring it up to date, or begin a new one"
      }
    }
    self.run = run
    self.problem = problem
    tables = Lock(reader)
  }

  /// What was made of a resource.
  public func receipt(for key: ResourceKey) throws -> Receipt? {
    try tables.withLock { try $0?.receipt(for: key) }
  }

  /// The failure that is remembered of a resource under a recipe.
  public func failure(for key: ResourceKey, recipe: Digest) throws -> RememberedFailure? {
    try tables.withLock { try $0?.failure(for: key, recipe: recipe) }
  }

  /// Nothing is ever taken.
  public func claim(_ path: String, for key: ResourceKey) -> Bool { true }
  /// Nothing is kept.
  public func release(_ path: String, for key: ResourceKey) {}
  /// Nothing is kept.
  public func record(_ receipt: Receipt) async {}
  /// Nothing is kept.
  public func record(_ failure: RememberedFailure) async {}

  /// Closes the file.
  public func shutdown() async { tables.withLock { $0 = nil } }
}
