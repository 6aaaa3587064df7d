#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of this run for files that are being written, on the file system where they will stand: what is in it is
/// never taken for a picture, and a later run can tell what a dead one has left.
///
/// It is `.pipeline.tmp/NAME`, alive as long as a lock on the file `lock` in it is held; so several runs may share a
/// folder, as those of different shards do.
package final class StagingArea: Sendable {
  /// What the folder of the areas is called.
  package static let container = ".pipeline.tmp"

  /// The folder itself.
  package let folder: FileDescriptor
  private let parent: FileDescriptor
  private let container: FileDescriptor
  private let name: String
  private let lock: FileDescriptor
  private let count = Lock(0)

  /// Makes an area in a folder.
  package init(in parent: FileDescriptor) throws(FileError) {
    // Another run that tidies up may take away what has just been made, before it is locked.
    for _ in 0..<100 {
      if mkdirat(parent.number, Self.container, 0o777) != 0, errno != EEXIST {
        throw FileError("making the folder", Self.container)
      }
      let name = "\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
      guard
        let container = try Self.unlessGone({ () throws(FileError) in
          try openFolder(Self.container, in: parent.number, following: false)
        })
      else { continue }
      if mkdirat(container.number, name, 0o777) != 0 {
        if errno == ENOENT || errno == EEXIST { continue }
        throw FileError("making the folder", "\(Self.container)/\(name)")
      }
      guard let folder = try Self.unlessGone({ () throws(FileError) in try openFolder(name, in: container.number) }),
        let lock = try Self.unlessGone({ () throws(FileError) in try Self.takeLock(in: folder) }) ?? nil
      else { continue }
      self.parent = parent
      self.container = container
      self.name = name
      self.folder = folder
      self.lock = lock
      return
    }
    throw FileError("making the folder", Self.container, number: EBUSY)
  }

  /// A name in the folder that was not used before.
  package func nextName() -> String {
    count.withLock { count in
      count += 1
      return String(count, radix: 16)
    }
  }

  /// Removes the area with all that is in it. It must not be used afterwards.
  package func remove() {
    Self.empty(folder)
    unlinkat(container.number, name, AT_REMOVEDIR)
    // Stays where another run has its area.
    unlinkat(parent.number, Self.container, AT_REMOVEDIR)
  }

  /// Removes the areas of dead runs from a folder.
  ///
  /// - Returns: whether a run that lives has an area there.
  @discardableResult
  package static func removeDead(in parent: FileDescriptor, keeping kept: Set<String> = []) -> Bool {
    guard let container = try? openFolder(Self.container, in: parent.number, following: false) else {
      return false
    }
    var isUsed = false
    for name in names(in: container) where !kept.contains(name) {
      guard let folder = try? openFolder(name, in: container.number, following: false) else {
        unlinkat(container.number, name, 0)
        continue
      }
      // Without a lock of its own it is one that is being made or removed, and either is done again by its owner.
      guard let lock = try? takeLock(in: folder) else {
        isUsed = true
        continue
      }
      empty(folder)
      unlinkat(container.number, name, AT_REMOVEDIR)
      withExtendedLifetime(lock) {}
    }
    unlinkat(parent.number, Self.container, AT_REMOVEDIR)
    return isUsed
  }

  private static let lockName = "lock"

  /// The lock of an area; nil where another has it, or has removed its file.
  private static func takeLock(in folder: FileDescriptor) throws(FileError) -> FileDescriptor? {
    let file = FileDescriptor(
      owning: try SystemFileCalls().open(lockName, in: folder.number, flags: O_RDWR | O_CREAT | O_NOFOLLOW))
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return nil }
      if errno != EINTR { throw FileError("locking", "\(Self.container)/\(lockName)") }
    }
    var ours = stat()
    var named = stat()
    guard fstat(file.number, &ours) == 0, fstatat(folder.number, lockName, &named, AT_SYMLINK_NOFOLLOW) == 0,
      ours.st_ino == named.st_ino, ours.st_dev == named.st_dev
    else { return nil }
    return file
  }

  /// Nil where what is opened has been removed.
  private static func unlessGone<Value>(_ open: () throws(FileError) -> Value) throws(FileError) -> Value? {
    do { return try open() } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  /// Removes the files of an area, its lock last.
  private static func empty(_ folder: FileDescriptor) {
    for name in names(in: folder) where name != lockName { unlinkat(folder.number, name, 0) }
    unlinkat(folder.number, lockName, 0)
  }
}
