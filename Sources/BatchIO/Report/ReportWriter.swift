import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes results as JSON Lines to a file, pipe or terminal, on a thread of its own: within some milliseconds when
/// nothing else comes, within 50 always, and never faster than the reader of a pipe reads.
///
/// The program must ignore SIGPIPE; then a reader that has gone is an error like any other.
public final class ReportWriter: ReportSink {
  private static let quiet = Duration.milliseconds(5)
  private static let longest = Duration.milliseconds(50)
  /// What is written without waiting for more, and what may wait to be written, in bytes.
  private static let (enough, most) = (65_536, 1_048_576)

  private struct State {
    var buffer: [UInt8] = []
    var first = ContinuousClock.now
    var last = ContinuousClock.now
    var error: FileError?
    var isClosing = false
    var isClosed = false
    /// Who waits for room in the buffer, and who for the end.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var closers: [CheckedContinuation<Void, Never>] = []

    /// What is to be written now, nil when there will be nothing more, or how long to wait.
    mutating func next() -> Monitor<State>.Turn<[UInt8]?> {
      if buffer.isEmpty { return isClosing ? .done(nil) : .wait }
      if !isClosing, buffer.count < ReportWriter.enough {
        let rest = min(first + ReportWriter.longest, last + ReportWriter.quiet) - ContinuousClock.now
        if rest > .zero { return .waitAtMost(rest) }
      }
      defer { buffer = [] }
      return .done(buffer)
    }
  }

  private let monitor: Monitor<State>

  /// Writes to a file, which is emptied first, or to a named pipe that somebody reads; the folder it is in is made where
  /// there is none.
  ///
  /// - Throws: `disk-full`, `write`.
  public convenience init(path: String) throws {
    try self.init(path: path, calls: SystemFileCalls())
  }

  /// Writes to an open descriptor, which stays open.
  public convenience init(descriptor: Int32) throws {
    try self.init(descriptor, owner: nil, path: "the report", calls: SystemFileCalls())
  }

  convenience init(path: String, calls: any FileCalls) throws {
    let file = try reportingAsOutput {
      if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        _ = try makeFolders(String(path[..<slash]))
      }
      return try Self.open(path, calls: calls)
    }
    try self.init(file.number, owner: file, path: path, calls: calls)
  }

  /// Writes to a file of the state folder.
  convenience init(inPlace path: String, calls: any FileCalls) throws {
    let file = try reportingAsOutput { try ReplacedFile.openInPlace(path, calls: calls) }
    try self.init(file.number, owner: file, path: path, calls: calls)
  }

  /// Opens what stands at a path, without waiting for who reads a named pipe: a run must not hang before it has begun.
  private static func open(_ path: String, calls: any FileCalls) throws(FileError) -> FileDescriptor {
    do throws(FileError) {
      let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK
      let file = FileDescriptor(owning: try calls.open(path, in: AT_FDCWD, flags: flags))
      _ = fcntl(file.number, F_SETFL, fcntl(file.number, F_GETFL) & ~O_NONBLOCK)
      return file
    } catch {
      throw error.number == ENXIO ? FileError("opening the report, which nobody reads,", path, number: ENXIO) : error
    }
  }

  private init(_ descriptor: Int32, owner: FileDescriptor?, path: String, calls: any FileCalls) throws {
    let monitor = Monitor(State())
    self.monitor = monitor
    try BackgroundThread.start {
      Self.run(monitor) { (bytes) throws(FileError) in
        try SharedBytes(bytes).withUnsafeBytes { (bytes) throws(FileError) in
          try calls.writeAll(bytes, to: descriptor, path: path)
        }
        withExtendedLifetime(owner) {}
      }
    }
  }

  deinit { close() }

  /// Takes a line; waits only while very much has not been written yet.
  ///
  /// - Throws: `disk-full` or `write`, where this line or an earlier one could not be written.
  public func write(_ result: ImageResult) async throws {
    var line = ReportLine.json(of: result).encoded()
    line.append(0x0a)
    while try !take(line) { await waitForRoom() }
  }

  /// Takes a line where there is room for it.
  private func take(_ line: [UInt8]) throws -> Bool {
    try monitor.withLock { state in
      if let error = state.error { throw error.asOutputError }
      if state.isClosing { throw PipelineError(.output, .cancelled, "the report is closed") }
      if state.buffer.count >= Self.most { return false }
      state.last = .now
      let isFirst = state.buffer.isEmpty
      if isFirst { state.first = state.last }
      state.buffer += line
      if isFirst || state.buffer.count >= Self.enough { monitor.signal() }
      return true
    }
  }

  /// Writes what is left, and gives the file up.
  ///
  /// - Throws: `disk-full` or `write`, where a line could not be written.
  public func finish() async throws {
    close()
    await withCheckedContinuation { continuation in
      let isClosed = monitor.withLock { state in
        if !state.isClosed { state.closers.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() }
    }
    if let error = monitor.withLock({ $0.error }) { throw error.asOutputError }
  }

  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let hasRoom = monitor.withLock { state in
        if state.buffer.count < Self.most || state.error != nil { return true }
        state.waiting.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  private func close() {
    monitor.withLock { $0.isClosing = true }
    monitor.signal()
  }

  private static func run(_ monitor: Monitor<State>, _ write: ([UInt8]) throws(FileError) -> Void) {
    while let bytes = monitor.wait({ $0.next() }) {
      var problem: FileError?
      if monitor.withLock({ $0.error }) == nil {
        do throws(FileError) { try write(bytes) } catch { problem = error }
      }
      let waiting = monitor.withLock { state in
        state.error = state.error ?? problem
        defer { state.waiting = [] }
        return state.waiting
      }
      for waiter in waiting { waiter.resume() }
    }
    let closers = monitor.withLock { state in
      state.isClosed = true
      return state.closers
    }
    for closer in closers { closer.resume() }
  }
}
