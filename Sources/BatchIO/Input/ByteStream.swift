import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes that come in pieces, on a thread that may wait for them.
protocol ByteStream {
  /// The next bytes, at least one; nil at the end.
  mutating func next() throws -> [UInt8]?
}

/// The bytes of a file, pipe or terminal.
struct FileStream: ByteStream {
  private static let chunkSize = 65_536

  private let file: FileDescriptor
  private let path: String
  /// What ends the wait for bytes when it becomes readable.
  private let wake: FileDescriptor?
  private let progress: ListProgress

  /// Opens a file, without waiting for what writes to a named pipe; `-` is standard input, which stays open.
  ///
  /// - Throws: `not-found` where there is none, or a folder, `invalid-input` where it cannot be read.
  init(path: String, wake: FileDescriptor?, progress: ListProgress) throws {
    self.path = path == "-" ? "standard input" : path
    self.wake = wake
    self.progress = progress
    let descriptor =
      path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error(FileError("reading", self.path)) }
    file = FileDescriptor(owning: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw PipelineError(.input, .notFound, "\(self.path) is a folder, not a list")
    }
    if status.st_mode & S_IFMT == S_IFREG { progress.opened(fileSize: Int(status.st_size)) }
  }

  mutating func next() throws -> [UInt8]? {
    while true {
      var polled = [
        pollfd(fd: file.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake?.number ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polled, 2, -1) < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Self.error(FileError("reading", path))
      }
      if polled[1].revents != 0 { throw CancellationError() }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, filled in
        count = read(file.number, buffer.baseAddress, buffer.count)
        filled = max(count, 0)
      }
      if count > 0 {
        progress.read(bytes: count)
        return bytes
      }
      if count == 0 { return nil }
      if errno != EINTR, errno != EAGAIN { throw Self.error(FileError("reading", path)) }
    }
  }

  /// A missing list is a mistake of who starts the run; anything else may be over when it is started again.
  private static func error(_ error: FileError) -> PipelineError {
    PipelineError(
      .input, error.number == ENOENT || error.number == ENOTDIR ? .notFound : .invalidInput, error.description,
      underlying: error)
  }
}
