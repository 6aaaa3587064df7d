import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of our own, for what blocks: reading, syncing, committing. Swift's pool has as many threads as cores, and a
/// slow disk or a silent standard input must not take one of them.
enum BackgroundThread {
  /// Runs `body` on a new thread.
  ///
  /// - Throws: `out-of-budget` where the system gives no more threads.
  static func start(_ body: @escaping @Sendable () -> Void) throws {
    let box = Unmanaged.passRetained(Box(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Musl)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw PipelineError(.output, .outOfBudget, "a thread cannot be started: \(String(cString: strerror(code)))")
    }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
