#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// A closed pipe is an error to handle, not a reason to die.
signal(SIGPIPE, SIG_IGN)

StandardOutput.reserve()
Allocator.configure()

exit(await Program.status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
