import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The rows of a list, read as a stream: memory does not depend on its length, and nothing is read far ahead.
///
/// Reading is done by a thread of its own, which a silent standard input blocks without harm. Iterating throws
/// `PipelineError` of stage input: `not-found` where there is no such file, `invalid-input` where it cannot be read or is
/// no list, `corrupt` where its compression is damaged; `ConfigurationError` where it lacks the columns that the options
/// name.
public struct ListSource: ItemSource {
  /// It gives rows.
  public typealias Element = SourceItem
  /// Reading may fail.
  public typealias Failure = any Error

  private let options: ListInputStage
  private let path: String
  private let progress = ListProgress()

  /// The rows, as far as the iterator that was made first has come.
  public var expectedRows: ExpectedRows? { progress.expectedRows }

  /// The list that `options` describe, at `path`: `-` is standard input.
  public init(_ options: ListInputStage, path: String) {
    self.options = options
    self.path = path
  }

  /// Throws `not-found` where there is no such file, `ConfigurationError` where its first line does not name the columns
  /// that the options name. What cannot be read otherwise may be read later, and is left to the run.
  public func check() throws {
    var status = stat()
    // What comes through a pipe comes only once.
    if path == "-" || stat(path, &status) == 0 && [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT) {
      return
    }
    do {
      var reader = try ListReader(options, path: path, progress: ListProgress())
      _ = try reader.next()
    } catch let error as ConfigurationError {
      throw error
    } catch let error as PipelineError where error.code == .notFound {
      throw error
    } catch {}
  }

  /// Starts at the beginning; a pipe goes on where it is.
  public func makeAsyncIterator() -> Iterator {
    Iterator(options, path: path, progress: progress)
  }

  /// Goes through the rows.
  public struct Iterator: AsyncIteratorProtocol {
    private let reading: Reading
    private var batch: [SourceItem] = []
    private var position = 0

    fileprivate init(_ options: ListInputStage, path: String, progress: ListProgress) {
      reading = Reading(options, path: path, progress: progress)
    }

    /// The next row; nil at the end. Stays with the caller: most rows are there already, and a change of threads for
    /// each would cost more than the row.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> SourceItem? {
      while position == batch.count {
        guard let more = try await reading.next() else { return nil }
        batch = more
        position = 0
      }
      defer { position += 1 }
      return batch[position]
    }
  }

  /// What goes on on the other thread. It ends with the iterator.
  private final class Reading: Sendable {
    private let options: ListInputStage
    private let path: String
    private let progress: ListProgress
    private let handover = RowHandover()
    /// The end of a pipe; closing it wakes the thread. Nil before the first row is asked for.
    private let waker = Lock<FileDescriptor?>(nil)

    init(_ options: ListInputStage, path: String, progress: ListProgress) {
      self.options = options
      self.path = path
      self.progress = progress
    }

    deinit { handover.abandon() }

    func next() async throws -> [SourceItem]? {
      try start()
      return try await handover.take()
    }

    private func start() throws {
      try waker.withLock { waker in
        if waker != nil { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
          throw PipelineError(.input, .invalidInput, FileError("reading", path).description)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let wake = FileDescriptor(owning: ends[0])
        waker = FileDescriptor(owning: ends[1])
        try BackgroundThread.start { [options, path, progress, handover] in
          handover.end(
            Result {
              var reader = try ListReader(options, path: path, wake: wake, progress: progress)
              while let batch = try reader.next(), handover.put(batch) {}
            })
        }
      }
    }
  }
}
