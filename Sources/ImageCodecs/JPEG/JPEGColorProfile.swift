import FetchPipeline

/// The ICC profile of a JPEG: split over APP2 segments, each with its number and how many there are (ICC.1:2022, B.4).
enum JPEGColorProfile {
  /// What the segments of a picture hold.
  enum Content {
    case none
    case whole(SharedBytes)
    /// Parts are missing, or contradict each other.
    case broken
  }

  /// The profile of the open picture. Its parts may come in any order.
  static func content(of decompressor: JPEGDecompressor) -> Content {
    var parts: [Int: UnsafeRawBufferPointer] = [:]
    var total: Int?
    for part in decompressor.profileParts {
      guard part.count > 2 else { return .broken }
      let (number, count) = (Int(part[0]), Int(part[1]))
      guard (1...255).contains(number), number <= count, total ?? count == count, parts[number] == nil else {
        return .broken
      }
      total = count
      parts[number] = UnsafeRawBufferPointer(rebasing: part[2...])
    }
    guard let total else { return .none }
    guard parts.count == total else { return .broken }
    let pieces = (1...total).compactMap { parts[$0] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { bytes.append(contentsOf: piece) }
    return .whole(SharedBytes(bytes))
  }
}
