import FetchPipeline

/// How much of a list has been read, from which its length can be told before its end.
final class ListProgress: Sendable {
  private struct State {
    var fileSize: Int?
    var bytes = 0
    var rows = 0
    var isAtEnd = false
  }

  private let state = Lock(State())

  /// The list is a file of so many bytes.
  func opened(fileSize: Int) {
    state.withLock { $0.fileSize = fileSize }
  }

  /// So many more bytes of the file have been read.
  func read(bytes: Int) {
    state.withLock { $0.bytes += bytes }
  }

  /// So many more rows have been found in what was read.
  func found(rows: Int, isLast: Bool) {
    state.withLock { state in
      state.rows += rows
      if isLast { state.isAtEnd = true }
    }
  }

  /// The rows of the whole list: counted once all of it has been read, before that reckoned from its size.
  var expectedRows: ExpectedRows? {
    state.withLock { state in
      if state.isAtEnd { return ExpectedRows(count: state.rows, isExact: true) }
      guard let size = state.fileSize, state.rows > 0, state.bytes > 0, state.bytes <= size else { return nil }
      let count = Double(state.rows) * Double(size) / Double(state.bytes)
      return ExpectedRows(count: Int(min(count, 1e15)), isExact: false)
    }
  }
}
