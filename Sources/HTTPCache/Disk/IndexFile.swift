import FetchPipeline
import SQLiteStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file of an index, by what it is and not by its name alone: that may lead to another one by now.
struct IndexFile: Sendable {
  let path: String
  private let device: dev_t
  private let number: ino_t

  /// The file that `path` leads to.
  init(path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileError("opening", path) }
    self.path = path
    device = status.st_dev
    number = status.st_ino
  }

  /// Whether the name still leads to it.
  var isThere: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
  }

  func checkThatItIsThere() throws(FileError) {
    guard isThere else { throw FileError("opening", path, number: ENOENT) }
  }
}

/// An index that has turned out to be damaged.
struct IndexDamage: Sendable {
  let index: IndexFile
  let error: SQLiteError
}
