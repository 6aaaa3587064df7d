#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A database file whose contents can be made again, so that it is moved out of the way where it cannot be used.
public struct SQLiteFile: Sendable {
  /// Where it is.
  public let path: String
  /// What is in it.
  public let schema: SQLiteSchema

  /// The file at `path`.
  public init(path: String, schema: SQLiteSchema) {
    self.path = path
    self.schema = schema
  }

  /// A database that was moved out of the way.
  public struct SetAside: Sendable {
    /// Where it is now.
    public let path: String
    /// Why it could not be used.
    public let reason: SQLiteError
  }

  /// Opens the database, whole and with its schema.
  ///
  /// - Parameter checksStructure: whether all of it is read, to see that it is whole; without, damage shows in use.
  /// - Throws: an error of kind `damaged` or `unsupported` where the file cannot be used as it is.
  public func open(
    synchronization: SQLiteConnection.Synchronization = .normal, checksStructure: Bool = true
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path, synchronization: synchronization)
    try schema.apply(to: connection)
    if checksStructure { try connection.checkStructure() }
    return connection
  }

  /// Opens the database; a damaged one, or one of another version, is renamed, and a new one takes its place.
  ///
  /// Nobody else may have it open: their connection would go on with the renamed file.
  public func openOrReplace(
    synchronization: SQLiteConnection.Synchronization = .normal
  ) throws -> (connection: SQLiteConnection, setAside: SetAside?) {
    do {
      return (try open(synchronization: synchronization), nil)
    } catch let error as SQLiteError where error.kind == .damaged || error.kind == .unsupported {
      let place = try setAside(as: error.kind == .damaged ? "damaged" : "unsupported")
      return (try open(synchronization: synchronization), SetAside(path: place, reason: error))
    }
  }

  /// Renames the file to the first free of `path.WORD-1`, `path.WORD-2`, …, and returns that.
  private func setAside(as word: String) throws(SQLiteError) -> String {
    var number = 1
    while access("\(path).\(word)-\(number)", F_OK) == 0 { number += 1 }
    let target = "\(path).\(word)-\(number)"
    // The log first: one that is left beside a new database would be played back into it.
    for suffix in ["-wal", "-shm", ""] where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
      throw SQLiteError(kind: .readOnly, systemError: errno, message: "renaming \(path)\(suffix)")
    }
    return target
  }
}
