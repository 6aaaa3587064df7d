import FetchPipeline

/// A body that is being stored, as it comes: shared, not copied.
struct BodyParts: Sendable {
  private(set) var parts: [SharedBytes] = []
  private(set) var count = 0

  mutating func append(_ bytes: SharedBytes) {
    if bytes.isEmpty { return }
    parts.append(bytes)
    count += bytes.count
  }

  /// The bytes in one piece: a single part as it is.
  var joined: SharedBytes {
    if parts.count <= 1 { return parts.first ?? .empty }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for part in parts { part.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    return SharedBytes(bytes)
  }

  /// Whether it has as many bytes as its head says. Where it was unpacked, or came in chunks, the head does not say.
  ///
  /// Whoever fetched it has counted as well; a part of a body that is served as a whole is the worst that a cache can do.
  func isWhole(by head: StoredResponseHead) -> Bool {
    guard head.headers["Content-Encoding"] == nil, head.headers["Transfer-Encoding"] == nil,
      let text = head.headers["Content-Length"], let length = Int(text)
    else { return true }
    return length == count
  }
}
