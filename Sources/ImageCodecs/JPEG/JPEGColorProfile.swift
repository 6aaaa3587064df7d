import FetchPipeline

/// The ICC profile of a JPEG: split over APP2 segments, each with its number and how many there are (ICC.1:2022, B.4).
enum JPEGColorProfile {
  private static let signature = Array("ICC_PROFILE\0".utf8)

  /// The profile of the open picture, nil where there is none; and whether there is one that is not whole.
  static func embedded(in decompressor: JPEGDecompressor) -> (profile: ColorProfile?, isBroken: Bool) {
    var parts: [Int: [UInt8]] = [:]
    var total = 0
    var isBroken = false
    var index: Int32 = 0
    while true {
      let read: Void? = decompressor.withSegment(app: 2, index: index) { segment in
        guard segment.starts(with: signature), segment.count > signature.count + 2 else { return }
        let (number, count) = (Int(segment[signature.count]), Int(segment[signature.count + 1]))
        if total == 0 { total = count }
        isBroken = isBroken || count != total || number == 0 || number > count || parts[number] != nil
        parts[number] = Array(segment[(signature.count + 2)...])
      }
      if read == nil { break }
      index += 1
    }
    guard !parts.isEmpty else { return (nil, false) }
    guard !isBroken, parts.count == total else { return (nil, true) }
    return (.icc(SharedBytes((1...total).flatMap { parts[$0] ?? [] })), false)
  }
}
