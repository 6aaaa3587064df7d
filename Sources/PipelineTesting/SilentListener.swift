import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A listening socket on loopback behind which nobody answers: it tells whether anybody has come.
public final class SilentListener: Sendable {
  /// The port, chosen by the system.
  public let port: Int
  private let listener: Int32
  private let blockers: [Int32]
  private let accepted = Lock([Int32]())

  /// A listener on 127.0.0.1, or on ::1.
  ///
  /// - Parameter isFull: whether its queue is filled at once, so that further connections are neither made nor refused.
  public init(isIPv6: Bool = false, isFull: Bool = false) throws {
    (listener, port) = try LoopbackSocket.listen(isIPv6: isIPv6, backlog: isFull ? 0 : 16)
    // A queue of 0 takes one connection; those behind it wait for their handshake.
    blockers = isFull ? (0..<4).compactMap { [port] _ in LoopbackSocket.startConnecting(to: port) } : []
  }

  deinit {
    for descriptor in blockers + accepted.withLock({ $0 }) + [listener] { close(descriptor) }
  }

  /// The connections that have been made to it so far.
  public var connectionCount: Int {
    accepted.withLock { accepted in
      while let descriptor = LoopbackSocket.accept(listener, waits: false) { accepted.append(descriptor) }
      return accepted.count
    }
  }
}
