import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A system call on a file that failed.
struct FileError: Error, Sendable, CustomStringConvertible {
  /// What was tried, as in "opening".
  let action: String
  /// On which file.
  let path: String
  /// The system's error number.
  let number: Int32

  /// By default the error of the call before.
  init(_ action: String, _ path: String, number: Int32 = errno) {
    self.action = action
    self.path = path
    self.number = number
  }

  /// The same error, told of the path that a person knows.
  func about(_ path: String) -> FileError { FileError(action, path, number: number) }

  var description: String { "\(action) \(path): \(String(cString: strerror(number)))" }

  /// The error as one of stage output: `disk-full` where there is no room, else `write`.
  var asOutputError: PipelineError {
    PipelineError(.output, number == ENOSPC || number == EDQUOT ? .diskFull : .write, description, underlying: self)
  }
}

/// Runs `body`, and turns errors of files into those of stage output.
func reportingAsOutput<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as FileError { throw error.asOutputError }
}
