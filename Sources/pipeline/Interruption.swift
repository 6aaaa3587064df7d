import FetchPipeline
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns SIGINT and SIGTERM into a stop of the run: the first lets the items in hand finish, a second ends the program.
final class Interruption: Sendable {
  private let received = Atomic<Int32>(0)

  /// Blocks the signals in this thread and, as they inherit that, in all that will be started by it.
  static func block() {
    var signals = signalSet
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Watches the signals, which must be blocked, from now on.
  static func watch(_ control: RunControl) -> Interruption {
    let interruption = Interruption()
    let context = Unmanaged.passRetained(Context(interruption: interruption, control: control))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Context>.fromOpaque(context).takeRetainedValue().loop() }
        return nil
      }, context.toOpaque())
    if status == 0 { pthread_detach(thread) } else { context.release() }
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

  private static var signalSet: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    return signals
  }

  private final class Context: Sendable {
    let interruption: Interruption
    let control: RunControl

    init(interruption: Interruption, control: RunControl) {
      self.interruption = interruption
      self.control = control
    }

    func loop() {
      var signals = Interruption.signalSet
      while true {
        var number: Int32 = 0
        guard sigwait(&signals, &number) == 0 else { continue }
        let (isFirst, _) = interruption.received.compareExchange(
          expected: 0, desired: number, ordering: .acquiringAndReleasing)
        if isFirst {
          Terminal.error.write("\npipeline: stopping; what is under way may finish within 10 s\n")
          control.stop()
        } else {
          _exit(128 + number)
        }
      }
    }
  }
}
