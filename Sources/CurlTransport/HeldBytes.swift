import FetchPipeline

/// Bytes that have come before anybody asked for them, first in, first out.
struct HeldBytes {
  private var bytes: [UInt8] = []
  private var start = 0

  /// The bytes held.
  var count: Int { bytes.count - start }

  /// Whether there are none.
  var isEmpty: Bool { count == 0 }

  /// Adds bytes behind the others.
  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: chunk)
  }

  /// Moves as many bytes as fit into `buffer`.
  mutating func drain(into buffer: ReceiveBuffer) {
    guard !isEmpty else { return }
    start += bytes.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    if isEmpty { removeAll() }
  }

  /// Gives the memory back.
  mutating func removeAll() {
    bytes = []
    start = 0
  }
}
