import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a cache on disk is that a configuration names no folder for.
struct CacheLocation: Sendable {
  /// The value of an environment variable.
  var environment: @Sendable (String) -> String?
  /// Whether a folder could be made there, or written to.
  var isUsable: @Sendable (String) -> Bool

  /// The folder: the user's for caches (XDG Base Directory Specification: `$XDG_CACHE_HOME`, which counts only where it
  /// is absolute, else `~/.cache`), else one in the folder of the run's state; nil where there is none of them.
  func folder(stateFolder: String?) -> String? {
    let own = stateFolder.map { $0 + "/.pipeline.cache" }
    var candidates: [String] = []
    if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      candidates.append(caches + "/pipeline")
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      candidates.append(home + "/.cache/pipeline")
    }
    if let own { candidates.append(own) }
    return candidates.first(where: isUsable) ?? candidates.first
  }

  /// The environment of the process, and its rights.
  static let system = CacheLocation(
    environment: { getenv($0).map { String(cString: $0) } },
    isUsable: { path in
      var path = path
      while !path.isEmpty {
        if access(path, F_OK) == 0 { return access(path, W_OK | X_OK) == 0 }
        path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
      }
      return access("/", W_OK) == 0
    })
}
