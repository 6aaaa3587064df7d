#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps standard output for what the program itself says there: reports, schemas, tables.
///
/// A plugin, or a library, may print as it likes; from the start of the program on, that goes to standard error.
enum StandardOutput {
  /// Where standard output was at the start; -1 where it was closed.
  static let reserved: Int32 = {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    // One that is closed would be the number of the next file that is opened, and what is printed would end there.
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    dup2(STDERR_FILENO, STDOUT_FILENO)
    return descriptor
  }()

  /// Has to be called before anything is printed.
  static func reserve() { _ = reserved }

  /// Whether a path is one of the names of standard output, which would lead elsewhere now.
  static func isMeant(by path: String) -> Bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }
}
