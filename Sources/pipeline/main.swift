#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// A closed pipe is an error to handle, not a reason to die.
signal(SIGPIPE, SIG_IGN)
// Swift's runtime takes it for a crash and goes on; it ends a program.
if !Interruption.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }

StandardOutput.reserve()
Allocator.configure()

exit(await Program.status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
