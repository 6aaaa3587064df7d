import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FileError {
  /// The error as one of stage output: `disk-full` where there is no room, else `write`.
  var asOutputError: PipelineError {
    PipelineError(
      .output, number == ENOSPC || number == EDQUOT ? .diskFull : .write, description, underlying: self,
      endsRun: concernsAll)
  }
}

/// Runs `body`, and turns errors of files into those of stage output.
func reportingAsOutput<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as FileError { throw error.asOutputError }
}
