#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a codec or a transform asks, every few milliseconds, whether it may go on.
public struct DecodeCheckpoint: Sendable {
  private let deadline: Double
  private let limit: Double
  private let isCancelled: @Sendable () -> Bool

  /// A checkpoint that allows so much CPU time of the calling thread from now on, and no more once `isCancelled` says so.
  public init(cpuTime limit: Duration, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.limit = limit.inSeconds
    self.isCancelled = isCancelled
    deadline = Self.threadTime() + limit.inSeconds
  }

  /// Throws `decode-timeout` when the time is used up, `CancellationError` when the work is cancelled.
  public func callAsFunction() throws {
    if isCancelled() { throw CancellationError() }
    if Self.threadTime() > deadline {
      throw PipelineError(
        .decode, .decodeTimeout, "decoding took more than \(limit) s of CPU time (limits.decodeTime)")
    }
  }

  private static func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
