#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How many files the process may have open, sockets included.
enum OpenFileLimit {
  /// What stays free for files, databases, libraries and the standard streams.
  private static let reserve = 64

  /// The limit, after it has been raised as far as it goes, once in a process.
  private static let limit: Int = {
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { return 1024 }
    if limits.rlim_cur < limits.rlim_max {
      var raised = limits
      raised.rlim_cur = limits.rlim_max
      if setrlimit(resource, &raised) == 0 { limits = raised }
    }
    return Int(clamping: limits.rlim_cur)
  }()

  /// The connections that fit under the limit, at most `wanted`, at least one.
  static func connections(atMost wanted: Int) -> Int {
    max(min(wanted, limit - reserve), 1)
  }

  #if canImport(Glibc)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let resource = RLIMIT_NOFILE
  #endif
}
