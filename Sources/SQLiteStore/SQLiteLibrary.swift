import CSQLite

/// The SQLite library in use.
public enum SQLiteLibrary {
  /// Its version: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
