#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls by which files come to be: those that fail when a disk is full, broken or not ours. Tests put
/// failing ones in their place.
package protocol FileCalls: Sendable {
  /// `openat`; the descriptor is closed on exec.
  func open(_ path: String, in folder: Int32, flags: Int32) throws(FileError) -> Int32
  /// `write`: returns how many bytes were taken, at least one.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) -> Int
  /// `pread`: returns how many bytes there were, 0 at the end of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int, path: String
  ) throws(FileError) -> Int
  /// `fsync`.
  func synchronize(_ descriptor: Int32, path: String) throws(FileError)
  /// `linkat`: another name for a file, which nothing may have yet.
  func link(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError)
  /// `renameat`.
  func rename(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError)
}

/// The system itself.
package struct SystemFileCalls: FileCalls {
  package init() {}

  package func open(_ path: String, in folder: Int32, flags: Int32) throws(FileError) -> Int32 {
    while true {
      // What the umask leaves of it, as of any other program's files.
      let descriptor = openat(folder, path, flags | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw FileError("opening", path) }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) -> Int {
    while true {
      #if canImport(Glibc)
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #else
      let count = Musl.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
      if count > 0 || bytes.isEmpty { return count }
      if count == 0 { throw FileError("writing", path, number: EIO) }
      if errno == EAGAIN {
        // A pipe that whoever gave it to us has made non-blocking.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw FileError("writing", path)
      }
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int, path: String
  ) throws(FileError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw FileError("reading", path) }
    }
  }

  package func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw FileError("syncing", path) }
    }
  }

  package func link(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError) {
    guard linkat(sourceFolder, source, targetFolder, target, 0) == 0 else { throw FileError("linking to", target) }
  }

  package func rename(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError) {
    guard renameat(sourceFolder, source, targetFolder, target) == 0 else { throw FileError("renaming to", target) }
  }
}

extension FileCalls {
  /// Writes all of the bytes.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try write(UnsafeRawBufferPointer(rebasing: rest), to: descriptor, path: path))
    }
  }
}

/// An open file or folder; closed when the last reference goes.
package final class FileDescriptor: Sendable {
  package let number: Int32

  /// Takes over an open descriptor.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit { close(number) }
}

/// Makes the folder at `path` with all that are missing above it.
///
/// - Parameters:
///   - folder: where a relative path starts; `AT_FDCWD` for the working folder.
///   - mode: who may use the folders that are made, as far as the umask leaves it.
/// - Returns: the folders that were made, the outermost first.
@discardableResult
package func makeFolders(
  _ path: String, in folder: Int32 = AT_FDCWD, mode: mode_t = 0o777
) throws(FileError) -> [String] {
  if mkdirat(folder, path, mode) == 0 { return [path] }
  let reason = errno
  var status = stat()
  if reason == EEXIST, fstatat(folder, path, &status, 0) == 0, status.st_mode & S_IFMT == S_IFDIR { return [] }
  guard reason == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
    throw FileError("making the folder", path, number: reason == EEXIST ? ENOTDIR : reason)
  }
  var made = try makeFolders(String(path[..<slash]), in: folder, mode: mode)
  if mkdirat(folder, path, mode) == 0 {
    made.append(path)
  } else if errno != EEXIST {
    throw FileError("making the folder", path)
  }
  return made
}
