import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What SQLite, or the file system under it, refused.
public struct SQLiteError: Error, Sendable {
  /// What callers can act on.
  public enum Kind: Sendable, Hashable {
    /// No room on the disk, or the quota or the largest size of the database is reached.
    case full
    /// Another connection holds a lock for longer than the busy timeout.
    case busy
    /// The file is no database, or its contents contradict each other, or it lacks a table or column that was made in it.
    case damaged
    /// The database has another schema than this program can read: a newer one, or another program's.
    case unsupported
    /// The file can be opened by nobody, or not by us.
    case cannotOpen
    /// The file or its folder cannot be written.
    case readOnly
    /// A row broke a constraint.
    case constraint
    /// Anything else: an input or output error, for example.
    case other
  }

  /// What callers can act on.
  public let kind: Kind
  /// SQLite's extended result code (sqlite.org/rescode.html).
  public let code: Int32
  /// The `errno` behind it; 0 where there is none.
  public let systemError: Int32
  /// What happened, in words.
  public let message: String

  init(kind: Kind, code: Int32 = 0, systemError: Int32 = 0, message: String) {
    self.kind = kind
    self.code = code
    self.systemError = systemError
    self.message = message
  }

  /// The last error of a connection, which is nil where not even that could be made.
  init(code: Int32, of connection: OpaquePointer?, doing action: String) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    // The connection's last error may be older than this one.
    self.code = extended & 0xff == code & 0xff ? extended : code
    systemError = connection.map { sqlite3_system_errno($0) } ?? 0
    kind = Self.kind(of: self.code, systemError: systemError)
    let text = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    message = "\(action): \(text)"
  }

  private static func kind(of code: Int32, systemError: Int32) -> Kind {
    switch code & 0xff {
    case SQLITE_FULL: .full
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    // SQLITE_ERROR: the statements of this program fit the tables that it makes; if one does not, the schema is broken.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .damaged
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      if systemError == ENOSPC || systemError == EDQUOT {
        .full
      } else {
        code & 0xff == SQLITE_CANTOPEN ? .cannotOpen : .other
      }
    default: .other
    }
  }
}

extension SQLiteError: CustomStringConvertible {
  /// The message, with the number of the system's error where there is one.
  public var description: String {
    systemError == 0 ? message : "\(message) (\(String(cString: strerror(systemError))))"
  }
}
