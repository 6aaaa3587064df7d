import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Standard output or standard error, and what can be shown there.
///
/// What cannot be written is remembered: a program that could not print what it was asked for has failed.
final class Terminal: Sendable {
  let descriptor: Int32
  private let failed = Lock<Int32?>(nil)

  static let output = Terminal(descriptor: StandardOutput.reserved)
  static let error = Terminal(descriptor: STDERR_FILENO)

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

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

  /// The columns of running text, which is hard to read in very long lines.
  var textWidth: Int { min(max(width, 20), 110) }

  /// Why something could not be written, in the system's words; nil where everything was.
  var failure: String? { failed.withLock { $0 }.map { String(cString: strerror($0)) } }

  /// Whether that is because nobody reads any more.
  var readerIsGone: Bool { failed.withLock { $0 } == EPIPE }

  /// Writes all of `text`; nothing more once that has failed.
  func write(_ text: String) { write(bytes: Array(text.utf8)) }

  /// Writes all of `bytes`.
  func write(bytes: [UInt8]) {
    if failed.withLock({ $0 }) != nil { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #else
      let count = rest.withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      if count < 0 {
        let reason = errno
        if reason == EINTR { continue }
        failed.withLock { $0 = reason }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
