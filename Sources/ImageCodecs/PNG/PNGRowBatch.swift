import FetchPipeline

/// The memory for some rows, read at once.
final class PNGRowBatch {
  /// The rows that fit.
  let rowCount: Int
  private let rowBytes: Int
  private let memory: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - rowBytes: the bytes of a row.
  ///   - target: about so many bytes, but at least a row.
  init(rowBytes: Int, target: Int) {
    rowCount = max(target / max(rowBytes, 1), 1)
    self.rowBytes = rowBytes
    memory = UnsafeMutableRawPointer.allocate(byteCount: rowCount * rowBytes, alignment: 64)
  }

  deinit {
    memory.deallocate()
  }

  /// Calls `body` with each of the next `count` rows, and whether it is the last of them.
  func read(
    _ count: Int, of reader: PNGReader, checkpoint: DecodeCheckpoint,
    _ body: (_ row: UnsafeRawPointer, _ isLast: Bool) -> Void
  ) throws {
    var done = 0
    while done < count {
      try checkpoint()
      let size = min(rowCount, count - done)
      try reader.readRows(size, to: memory, stride: rowBytes)
      for row in 0..<size { body(memory + row * rowBytes, done + row == count - 1) }
      done += size
    }
  }

  /// Reads the next `count` rows and forgets them.
  func skip(_ count: Int, of reader: PNGReader, checkpoint: DecodeCheckpoint) throws {
    try read(count, of: reader, checkpoint: checkpoint) { _, _ in }
  }
}
