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
  /// Interrupted by SIGHUP.
  case hungUp = 129
  /// Interrupted by SIGINT.
  case interrupted = 130
  /// Interrupted by SIGTERM.
  case terminated = 143

  /// Each with its meaning for users.
  static let meanings: [(status: ExitStatus, meaning: String)] = [
    (.success, "all items are done"), (.someFailed, "the run is complete, and some items failed"),
    (.usage, "the command line, the configuration or the list that it names is wrong; nothing was run"),
    (.failureRate, "stopped, because more items failed than limits.failureRate bears"),
    (.inputOutput, "input, output or report cannot be read or written; the run can go on"),
    (.hungUp, "interrupted by SIGHUP; the run can go on"),
    (.interrupted, "interrupted by SIGINT; the run can go on"),
    (.terminated, "interrupted by SIGTERM; the run can go on"),
  ]
}

/// What ends a command at once: a message for the user, and a status for the caller.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: .usage, message: message) }
}
