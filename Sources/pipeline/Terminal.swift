#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Standard output or standard error, and what can be shown there.
struct Terminal: Sendable {
  private let descriptor: Int32

  static let output = Terminal(descriptor: StandardOutput.reserved)
  static let error = Terminal(descriptor: STDERR_FILENO)

  /// Whether a person looks at it.
  var isInteractive: Bool {
    guard isatty(descriptor) == 1 else { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? true
  }

  /// Whether colour is wanted (no-color.org).
  var showsColor: Bool {
    isInteractive && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
  }

  /// The columns of a line.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes all of `text`; what cannot be written to a terminal is lost.
  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
