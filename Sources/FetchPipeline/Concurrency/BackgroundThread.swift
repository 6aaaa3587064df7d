#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of our own, for what computes for long or blocks in C: reading, syncing, decoding, polling. Swift's pool has as
/// many threads as cores, and a slow disk or a silent standard input must not take one of them.
public enum BackgroundThread {
  /// The system gives no more threads.
  public struct StartError: Error, Sendable, CustomStringConvertible {
    /// What the system says.
    public let reason: String

    /// For a person.
    public var description: String { "a thread cannot be started: \(reason)" }
  }

  /// Runs `body` on a new thread.
  ///
  /// All signals are blocked there: the process's own threads handle them, and a TLS library that writes to a closed
  /// connection gets an error in place of SIGPIPE.
  public static func start(_ body: @escaping @Sendable () -> Void) throws(StartError) {
    let work = Unmanaged.passRetained(Work(body))
    let code = withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread -> Int32 in
      guard let thread = thread.baseAddress else { return ENOMEM }
      var all = sigset_t()
      var previous = sigset_t()
      sigfillset(&all)
      // A new thread inherits the mask of the one that makes it.
      pthread_sigmask(SIG_SETMASK, &all, &previous)
      defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
      let code = pthread_create(
        thread, nil,
        { argument in
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
      if code == 0 { pthread_detach(thread.pointee) }
      return code
    }
    guard code == 0 else {
      work.release()
      throw StartError(reason: String(cString: strerror(code)))
    }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
