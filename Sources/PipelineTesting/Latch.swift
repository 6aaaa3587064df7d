#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Holds a script up until a test opens it; it stays open.
public final class Latch: Sendable {
  /// Readable once the latch is open.
  let descriptor: Int32
  private let writer: Int32

  /// A closed latch.
  public init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemCallError("pipe") }
    descriptor = ends[0]
    writer = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Opens the latch.
  public func open() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }
}
