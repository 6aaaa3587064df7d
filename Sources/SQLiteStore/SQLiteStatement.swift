import CSQLite

/// A compiled statement: values are bound, rows are stepped through, and it is reset for the next use.
///
/// Parameters are counted from 1, columns from 0, as SQLite does. Confined as its connection is.
public final class SQLiteStatement {
  private let prepared: Prepared
  private let connection: SQLiteConnection

  /// The owner of the C object.
  final class Prepared {
    let handle: OpaquePointer

    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
      var statement: OpaquePointer?
      let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      guard code == SQLITE_OK else {
        throw SQLiteError(code: code, of: connection, doing: "\"\(sql.prefix(80))\"")
      }
      guard let statement else { throw SQLiteError(kind: .other, message: "an empty statement") }
      handle = statement
    }

    deinit { sqlite3_finalize(handle) }
  }

  init(_ prepared: Prepared, of connection: SQLiteConnection) {
    self.prepared = prepared
    self.connection = connection
  }

  // MARK: Values in

  /// Binds an integer.
  public func bind(_ parameter: Int32, _ value: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(prepared.handle, parameter, Int64(value)))
  }

  /// Binds a floating-point number.
  public func bind(_ parameter: Int32, _ value: Double) throws(SQLiteError) {
    try check(sqlite3_bind_double(prepared.handle, parameter, value))
  }

  /// Binds text.
  public func bind(_ parameter: Int32, _ value: String) throws(SQLiteError) {
    var value = value
    try check(
      value.withUTF8 { utf8 in
        guard let length = Int32(exactly: utf8.count) else { return SQLITE_TOOBIG }
        return utf8.withMemoryRebound(to: CChar.self) { text in
          guard let base = text.baseAddress else { return csqlite_bind_text_copy(prepared.handle, parameter, "", 0) }
          return csqlite_bind_text_copy(prepared.handle, parameter, base, length)
        }
      })
  }

  /// Binds bytes.
  public func bind(_ parameter: Int32, _ value: [UInt8]) throws(SQLiteError) {
    try check(
      value.withUnsafeBytes { bytes in
        guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        guard let base = bytes.baseAddress else { return sqlite3_bind_zeroblob(prepared.handle, parameter, 0) }
        return csqlite_bind_blob_copy(prepared.handle, parameter, base, length)
      })
  }

  /// Binds NULL.
  public func bindNull(_ parameter: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_null(prepared.handle, parameter))
  }

  /// Binds an integer, or NULL for none.
  public func bind(_ parameter: Int32, _ value: Int?) throws(SQLiteError) {
    if let value { try bind(parameter, value) } else { try bindNull(parameter) }
  }

  /// Binds a floating-point number, or NULL for none.
  public func bind(_ parameter: Int32, _ value: Double?) throws(SQLiteError) {
    if let value { try bind(parameter, value) } else { try bindNull(parameter) }
  }

  /// Binds text, or NULL for none.
  public func bind(_ parameter: Int32, _ value: String?) throws(SQLiteError) {
    if let value { try bind(parameter, value) } else { try bindNull(parameter) }
  }

  // MARK: Running

  /// Goes to the next row; false after the last one.
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(prepared.handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  /// Makes the statement ready for its next use. Until then its transaction stays open.
  public func reset() {
    sqlite3_reset(prepared.handle)
  }

  /// Runs a statement whose rows, if any, do not matter, and resets it.
  public func run() throws(SQLiteError) {
    defer { reset() }
    while try step() {}
  }

  /// What `body` makes of the first row, nil where there is none; then resets the statement.
  public func first<Result>(_ body: (SQLiteStatement) throws -> Result) throws -> Result? {
    defer { reset() }
    return try step() ? try body(self) : nil
  }

  /// What `body` makes of each row; then resets the statement.
  public func all<Result>(_ body: (SQLiteStatement) throws -> Result) throws -> [Result] {
    defer { reset() }
    var results: [Result] = []
    while try step() { results.append(try body(self)) }
    return results
  }

  // MARK: Values out

  /// Whether a column of the row is NULL.
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(prepared.handle, column) == SQLITE_NULL
  }

  /// A column as an integer; 0 for NULL.
  public func int(_ column: Int32) -> Int {
    Int(truncatingIfNeeded: sqlite3_column_int64(prepared.handle, column))
  }

  /// A column as an integer; nil for NULL.
  public func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

  /// A column as a floating-point number; 0 for NULL.
  public func double(_ column: Int32) -> Double {
    sqlite3_column_double(prepared.handle, column)
  }

  /// A column as a floating-point number; nil for NULL.
  public func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

  /// A column as text; empty for NULL.
  public func string(_ column: Int32) -> String {
    guard let text = sqlite3_column_text(prepared.handle, column) else { return "" }
    let length = Int(sqlite3_column_bytes(prepared.handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
  }

  /// A column as text; nil for NULL.
  public func optionalString(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

  /// A column as bytes; none for NULL.
  public func bytes(_ column: Int32) -> [UInt8] {
    guard let base = sqlite3_column_blob(prepared.handle, column) else { return [] }
    let length = Int(sqlite3_column_bytes(prepared.handle, column))
    return Array(UnsafeRawBufferPointer(start: base, count: length))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> SQLiteError {
    let sql = sqlite3_sql(prepared.handle).map { String(cString: $0) } ?? "a statement"
    return SQLiteError(code: code, of: connection.handle, doing: "\"\(sql.prefix(80))\"")
  }
}
