#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Before any other thread exists: only the thread that waits for them gets the signals.
Interruption.block()
// A closed pipe is an error to handle, not a reason to die.
signal(SIGPIPE, SIG_IGN)

exit(await Program.status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
