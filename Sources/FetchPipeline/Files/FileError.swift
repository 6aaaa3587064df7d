#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A system call on a file that failed.
package struct FileError: Error, Sendable, CustomStringConvertible {
  /// What was tried, as in "opening".
  package let action: String
  /// On which file.
  package let path: String
  /// The system's error number.
  package let number: Int32
  /// Whether other files would fail as well, so that there is no use in going on.
  package let concernsAll: Bool

  /// The errors of a file system rather than of a file.
  private static let ofFileSystems: Set<Int32> = [ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ESTALE]
  /// The errors of a moment, or of one file's size.
  private static let passing: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EFBIG]

  /// By default the error of the call before.
  package init(_ action: String, _ path: String, number: Int32 = errno) {
    self.init(action, path, number, concernsAll: Self.ofFileSystems.contains(number))
  }

  private init(_ action: String, _ path: String, _ number: Int32, concernsAll: Bool) {
    self.action = action
    self.path = path
    self.number = number
    self.concernsAll = concernsAll
  }

  /// The same error, told of the path that a person knows.
  package func about(_ path: String) -> FileError { FileError(action, path, number, concernsAll: concernsAll) }

  /// The same error, of a place through which all files go.
  package var ofEveryFile: FileError {
    FileError(action, path, number, concernsAll: !Self.passing.contains(number))
  }

  package var description: String { "\(action) \(path): \(String(cString: strerror(number)))" }
}
