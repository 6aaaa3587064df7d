import FetchPipeline
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a stop of the run: the first lets the items in hand finish, a second ends the
/// program, and so does the first as long as nothing has been begun.
///
/// The handler only writes to a pipe, which a thread of its own reads. (Blocking the signals and waiting for them would not
/// do: the runtime's main thread waits with all signals open.)
final class Interruption: Sendable {
  private let received = Atomic<Int32>(0)
  /// What is stopped; nil before there is something to finish.
  private let control = Lock<RunControl?>(nil)

  /// A stop lets items finish for 10 s; what still holds the program up then is a disk or a reader that does not answer.
  private static let longestStop: Int32 = 30_000

  /// The signals are watched from now on. SIGHUP is not where it is ignored, as under `nohup`.
  static func watch(telling status: StatusLine) -> Interruption {
    let interruption = Interruption()
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return interruption }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signalPipe.store(ends[1], ordering: .sequentiallyConsistent)
    let watch = Watch(interruption: interruption, status: status, pipe: ends[0])
    do { try BackgroundThread.start { watch.loop() } } catch { return interruption }
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(number) {
      signal(number) { number in
        let reason = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
        errno = reason
      }
    }
    return interruption
  }

  /// From now on there is something to finish: a signal stops what `control` controls.
  func begin(_ control: RunControl) {
    self.control.withLock { $0 = control }
  }

  /// The status that the first signal asks for; nil where there was none.
  var status: ExitStatus? {
    switch received.load(ordering: .acquiring) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    case SIGHUP: .hungUp
    default: nil
    }
  }

  /// Whether the program was started with a signal ignored.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private final class Watch: Sendable {
    let interruption: Interruption
    let status: StatusLine
    let pipe: Int32

    init(interruption: Interruption, status: StatusLine, pipe: Int32) {
      self.interruption = interruption
      self.status = status
      self.pipe = pipe
    }

    func loop() {
      let first = next(within: -1) ?? SIGTERM
      guard let control = interruption.control.withLock({ $0 }) else { _exit(128 + first) }
      interruption.received.store(first, ordering: .releasing)
      status.note("stopping; what is under way may finish within 10 s; a second signal ends at once")
      control.stop()
      guard let second = next(within: Interruption.longestStop) else {
        status.note("what is under way has not ended; it is left as it is")
        _exit(128 + first)
      }
      _exit(128 + second)
    }

    /// The number of the next signal; nil where none comes within so many milliseconds.
    private func next(within limit: Int32) -> Int32? {
      var ready = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      while poll(&ready, 1, limit) < 0, errno == EINTR {}
      var number: UInt8 = 0
      guard ready.revents != 0, read(pipe, &number, 1) == 1 else { return nil }
      return Int32(number)
    }
  }
}

/// Where the handler writes. Read once before the handler is set, so that it finds it initialized.
private let signalPipe = Atomic<Int32>(-1)
