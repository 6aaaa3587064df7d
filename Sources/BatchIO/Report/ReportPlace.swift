import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a report may be written somewhere: it is emptied first, so that it must be nothing that the run still needs.
enum ReportPlace {
  /// Refuses a path that leads to one of `others`, by whatever name.
  ///
  /// - Parameter others: paths, each with what it is.
  static func check(_ path: String, isNone others: [(path: String, what: String)]) throws {
    for other in others where isSame(path, other.path) {
      throw ConfigurationError(
        file: nil,
        problems: [
          ConfigurationProblem(
            path: "report.path",
            message: "\(path) is \(other.what): name another file (--report), which is emptied first")
        ])
    }
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    if path == other { return true }
    var (one, two) = (stat(), stat())
    // Devices are nothing that is emptied.
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_mode & S_IFMT == S_IFREG
      && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }
}
