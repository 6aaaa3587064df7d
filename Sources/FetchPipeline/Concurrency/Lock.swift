#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Sendable: `state` is touched only while `mutex` is held.
/// A value behind a POSIX mutex.
///
/// Used in place of `Synchronization.Mutex`, whose futex path the thread sanitizer does not model.
public final class Lock<State>: @unchecked Sendable {
  @usableFromInline var state: State
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// A lock that guards `state`.
  public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state. Not reentrant; `body` must not block.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
