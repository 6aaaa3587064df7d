import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that every program that has a cache open shares: only who is alone may replace the index.
final class CacheLock: Sendable {
  private let file: FileDescriptor
  private let path: String

  /// Waits for whoever replaces the index at the moment.
  init(path: String, calls: any FileCalls) throws(FileError) {
    file = FileDescriptor(owning: try calls.open(path, in: AT_FDCWD, flags: O_RDWR | O_CREAT | O_NOFOLLOW))
    self.path = path
    guard try take(LOCK_SH, for: 500) else { throw FileError("locking", path, number: EBUSY) }
  }

  /// Whether nobody else has the cache open; then the lock is exclusive until `share`.
  func becomeExclusive() throws(FileError) -> Bool {
    release()
    return try take(LOCK_EX, for: 100)
  }

  /// Lets others in again.
  func share() throws(FileError) {
    guard try take(LOCK_SH, for: 500) else { throw FileError("locking", path, number: EBUSY) }
  }

  /// Gives it up, though the value lives on.
  func release() {
    flock(file.number, LOCK_UN)
  }

  /// - Parameter attempts: how often it is tried, 10 ms apart.
  private func take(_ operation: Int32, for attempts: Int) throws(FileError) -> Bool {
    for attempt in 0..<attempts {
      if attempt > 0 { usleep(10_000) }
      if flock(file.number, operation | LOCK_NB) == 0 { return true }
      if errno != EWOULDBLOCK && errno != EINTR { throw FileError("locking", path) }
    }
    return false
  }
}
