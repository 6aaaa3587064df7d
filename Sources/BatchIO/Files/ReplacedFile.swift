import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file of the state folder that takes the place of an older one when it is complete. Bytes are gathered and written
/// as they grow.
///
/// While it is written it is called `.pipeline.NAME.tmp`; what a dead run has left under that name is removed.
final class ReplacedFile: Sendable {
  private static let bufferSize = 65_536

  private struct State {
    var file: FileDescriptor?
    var buffer: [UInt8] = []
  }

  private let folder: String
  private let name: String
  private let calls: any FileCalls
  private let state: Lock<State>

  init(_ name: String, in folder: String, calls: any FileCalls) throws(FileError) {
    self.folder = folder
    self.name = name
    self.calls = calls
    let temporary = Self.temporary(name, in: folder)
    unlink(temporary)
    let file = try calls.open(temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    state = Lock(State(file: FileDescriptor(owning: file)))
  }

  deinit {
    if state.withLock({ $0.file }) != nil { unlink(Self.temporary(name, in: folder)) }
  }

  /// Adds bytes.
  func append(_ bytes: [UInt8]) throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      state.buffer += bytes
      if state.buffer.count >= Self.bufferSize { try flush(&state) }
    }
  }

  /// Puts the file in the older one's place; where that fails nothing of it is left.
  func finish() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      guard let file = state.file else { return }
      defer { state.file = nil }
      do throws(FileError) {
        try flush(&state)
        let path = "\(folder)/\(name)"
        try calls.synchronize(file.number, path: path)
        try calls.rename(Self.temporary(name, in: folder), in: AT_FDCWD, to: path, in: AT_FDCWD)
      } catch {
        unlink(Self.temporary(name, in: folder))
        throw error
      }
    }
  }

  private func flush(_ state: inout State) throws(FileError) {
    guard let file = state.file else { return }
    let bytes = SharedBytes(state.buffer)
    state.buffer.removeAll(keepingCapacity: true)
    try bytes.withUnsafeBytes { (bytes) throws(FileError) in
      try calls.writeAll(bytes, to: file.number, path: "\(folder)/\(name)")
    }
  }

  /// Makes sure that the file will find its place: that nothing stands there, or in the way of writing it, but a file or a
  /// link, which is replaced.
  static func check(_ name: String, in folder: String) throws(FileError) {
    for path in ["\(folder)/\(name)", temporary(name, in: folder)] {
      guard let kind = fileKind(path) else { continue }
      guard kind == S_IFREG || kind == S_IFLNK else {
        throw FileError("replacing what is no file,", path, number: kind == S_IFDIR ? EISDIR : ENOTSUP)
      }
    }
  }

  /// Opens a file of the state folder that is written in its place, so that it can be read meanwhile. It is emptied; in
  /// the place of a link, and of a file that has other names, there is a new one afterwards.
  static func openInPlace(_ path: String, calls: any FileCalls) throws(FileError) -> FileDescriptor {
    var status = stat()
    var flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1 {
      unlink(path)
      flags |= O_EXCL
    }
    return FileDescriptor(owning: try calls.open(path, in: AT_FDCWD, flags: flags))
  }

  private static func temporary(_ name: String, in folder: String) -> String {
    "\(folder)/\(StateFileNames.hiddenPrefix).\(name).tmp"
  }
}

/// What stands at a path, of the kinds of `S_IFMT`; links are not followed. Nil for nothing.
private func fileKind(_ path: String) -> mode_t? {
  var status = stat()
  return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
}
