/// The tables of a database, and how older ones become it.
public struct SQLiteSchema: Sendable {
  /// Which program's the database is: a number in the file's header (sqlite.org/pragma.html#pragma_application_id).
  public let applicationID: Int32
  /// The version, from 1.
  public let version: Int
  /// Makes the tables of a new database.
  public let creation: String
  /// By version, what makes the next one of it.
  public let migrations: [Int: String]

  /// A schema.
  public init(applicationID: Int32, version: Int, creation: String, migrations: [Int: String] = [:]) {
    self.applicationID = applicationID
    self.version = version
    self.creation = creation
    self.migrations = migrations
  }

  /// Makes the tables where there are none, brings older ones up to date, and leaves those that fit.
  ///
  /// - Throws: an error of kind `unsupported` where the database is a newer version's, or no version's.
  public func apply(to connection: SQLiteConnection) throws {
    // Without a lock first: several programs may open a database that fits.
    if try connection.userVersion() == version, try isOurs(connection) { return }
    try connection.transaction {
      var found = try connection.userVersion()
      if found == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try connection.execute(creation)
        try connection.execute("PRAGMA application_id = \(applicationID)")
        found = version
      }
      guard try isOurs(connection) else {
        throw SQLiteError(kind: .unsupported, message: "the database belongs to another program")
      }
      while found != version {
        guard found < version, let migration = migrations[found] else {
          throw SQLiteError(kind: .unsupported, message: "the database has version \(found), not \(version)")
        }
        try connection.execute(migration)
        found += 1
      }
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Makes sure that the database has this version's tables, without changing it.
  ///
  /// - Throws: an error of kind `unsupported` where it has not.
  public func check(_ connection: SQLiteConnection) throws {
    let found = try connection.userVersion()
    guard found == version, try isOurs(connection) else {
      throw SQLiteError(
        kind: .unsupported,
        message: try isOurs(connection)
          ? "the database has version \(found), not \(version)" : "the database belongs to another program, or is empty"
      )
    }
  }

  private func isOurs(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.integer("PRAGMA application_id") == Int(applicationID)
  }
}
