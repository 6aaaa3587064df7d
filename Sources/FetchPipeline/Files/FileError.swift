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

  /// By default the error of the call before.
  package init(_ action: String, _ path: String, number: Int32 = errno) {
    self.action = action
    self.path = path
    self.number = number
  }

  /// The same error, told of the path that a person knows.
  package func about(_ path: String) -> FileError { FileError(action, path, number: number) }

  package var description: String { "\(action) \(path): \(String(cString: strerror(number)))" }
}
