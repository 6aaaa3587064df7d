#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Threads that block in C: they are kept out of the pool that tasks run on.
enum PosixThread {
  // Sendable: written before the thread exists and read only on it.
  private final class Work: @unchecked Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a new, detached thread; false where the system has none.
  ///
  /// All signals are blocked there: the process's own threads handle them, and a TLS library that writes to a closed
  /// connection gets an error in place of SIGPIPE.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    let started = withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread -> Bool in
      guard let thread = thread.baseAddress else { return false }
      var all = sigset_t()
      var previous = sigset_t()
      sigfillset(&all)
      // A new thread inherits the mask of the one that makes it.
      pthread_sigmask(SIG_SETMASK, &all, &previous)
      defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
      let code = pthread_create(
        thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, work.toOpaque())
      guard code == 0 else { return false }
      pthread_detach(thread.pointee)
      return true
    }
    if !started { work.release() }
    return started
  }
}
