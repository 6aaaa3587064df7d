/// What the program tells its caller.
enum ExitStatus: Int32 {
  /// All items are done.
  case success = 0
  /// The run is complete, and some items failed.
  case someFailed = 1
  /// The command line or the configuration is wrong; nothing was run.
  case usage = 2
  /// Too many items failed.
  case failureRate = 3
  /// Input, output or report cannot be read or written (`EX_IOERR` of sysexits.h).
  case inputOutput = 74
  /// Interrupted by SIGINT.
  case interrupted = 130
  /// Interrupted by SIGTERM.
  case terminated = 143
}

/// What ends a command at once: a message for the user, and a status for the caller.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: .usage, message: message) }
}
