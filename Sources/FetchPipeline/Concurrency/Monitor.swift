#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value behind a POSIX mutex, with a condition on which threads wait until it has changed.
///
/// Only for threads of our own: a task must not wait in it.
// Sendable: `state` is touched only while `mutex` is held.
package final class Monitor<State>: @unchecked Sendable {
  private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// What a waiting thread makes of the state.
  package enum Turn<Result> {
    /// It need not wait any longer.
    case done(Result)
    /// It waits for a signal.
    case wait
    /// It waits for a signal, and looks again after so long at the latest.
    case waitAtMost(Duration)
  }

  package init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A change of the wall clock must not stretch a wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state. `body` must not block.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Asks `turn` until it is done, waiting in between.
  package func wait<Result>(_ turn: (inout State) -> Turn<Result>) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      switch turn(&state) {
      case .done(let result): return result
      case .wait: pthread_cond_wait(condition, mutex)
      case .waitAtMost(let duration):
        var deadline = Self.now() + max(duration, .zero)
        pthread_cond_timedwait(condition, mutex, &deadline)
      }
    }
  }

  /// Wakes the threads that wait.
  package func signal() {
    pthread_cond_broadcast(condition)
  }

  private static func now() -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time
  }
}

extension timespec {
  fileprivate static func + (time: timespec, duration: Duration) -> timespec {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int64(time.tv_nsec) + attoseconds / 1_000_000_000
    return timespec(
      tv_sec: time.tv_sec + Int(seconds) + Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
