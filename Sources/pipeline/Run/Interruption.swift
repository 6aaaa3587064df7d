import FetchPipeline
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns SIGINT and SIGTERM into a stop of the run: the first lets the items in hand finish, a second ends the program.
///
/// The handler only writes to a pipe, which a thread of its own reads. (Blocking the signals and waiting for them would not
/// do: the runtime's main thread waits with all signals open.)
final class Interruption: Sendable {
  private let received = Atomic<Int32>(0)

  /// The signals are watched from now on.
  static func watch(_ control: RunControl, telling status: StatusLine) -> Interruption {
    let interruption = Interruption()
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return interruption }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signalPipe.store(ends[1], ordering: .sequentiallyConsistent)
    let watch = Watch(interruption: interruption, control: control, status: status, pipe: ends[0])
    do { try BackgroundThread.start { watch.loop() } } catch { return interruption }
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
      }
    }
    return interruption
  }

  /// The status that the first signal asks for; nil where there was none.
  var status: ExitStatus? {
    switch received.load(ordering: .acquiring) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    default: nil
    }
  }

  private final class Watch: Sendable {
    let interruption: Interruption
    let control: RunControl
    let status: StatusLine
    let pipe: Int32

    init(interruption: Interruption, control: RunControl, status: StatusLine, pipe: Int32) {
      self.interruption = interruption
      self.control = control
      self.status = status
      self.pipe = pipe
    }

    func loop() {
      while true {
        var number: UInt8 = 0
        guard read(pipe, &number, 1) == 1 else {
          if errno == EINTR { continue }
          return
        }
        let (isFirst, _) = interruption.received.compareExchange(
          expected: 0, desired: Int32(number), ordering: .acquiringAndReleasing)
        guard isFirst else { _exit(128 + Int32(number)) }
        status.note("stopping; what is under way may finish within 10 s; a second signal ends at once")
        control.stop()
      }
    }
  }
}

/// Where the handler writes. Read once before the handler is set, so that it finds it initialized.
private let signalPipe = Atomic<Int32>(-1)
