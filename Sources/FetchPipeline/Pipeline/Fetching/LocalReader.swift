#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads a picture that is on this machine: a regular file, in one go.
enum LocalReader {
  /// The number of bytes of the file at `path`.
  ///
  /// - Throws: `not-found` where there is no regular file that can be read, `out-of-budget`, `body-too-large`.
  static func size(of path: String, limit: Int) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw PipelineError(.transport, .notFound, "\(path) is not a regular file")
    }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw PipelineError(
        .transport, .bodyTooLarge, "\(path) is larger than the limit of \(limit) bytes (transport.maxBytes)")
    }
    return size
  }

  /// At most `count` bytes of the file at `path`. Blocks.
  static func contents(of path: String, count: Int, keeping account: BodyAccount) throws -> SharedBytes {
    // Not blocking: what was a file a moment ago may be a pipe by now.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw error(path, errno) }
    defer { close(descriptor) }
    let buffer = try ReceiveBuffer(capacity: count)
    try withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 64) { piece in
      while buffer.available > 0 {
        let got = read(descriptor, piece.baseAddress, min(piece.count, buffer.available))
        if got < 0 {
          if errno == EINTR { continue }
          throw error(path, errno)
        }
        if got == 0 { return }
        _ = buffer.append(UnsafeRawBufferPointer(rebasing: piece[..<got]))
      }
    }
    account.settle(at: buffer.count)
    return buffer.freeze(keeping: account)
  }

  /// What a failed call means: `not-found` for what is not there, and, in other words, for what may not or cannot be read;
  /// `out-of-budget` where the machine has no more of something for now: open files, memory.
  static func error(_ path: String, _ number: Int32) -> PipelineError {
    let reason = String(cString: strerror(number))
    switch number {
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: return PipelineError(.transport, .notFound, "\(path): \(reason)")
    case EMFILE, ENFILE, ENOMEM:
      return PipelineError(.transport, .outOfBudget, "\(path) cannot be read for now: \(reason)")
    default: return PipelineError(.transport, .notFound, "\(path) cannot be read: \(reason)")
    }
  }
}
