import FetchPipeline

extension PixelImage {
  /// The picture with samples of another size: 8 bits become 16 times 257, 16 bits become the nearest of 8.
  func converted(to target: SampleDepth) throws -> PixelImage {
    guard target != depth else { return self }
    var result = try PixelImage(
      layout: layout, depth: target, size: size, planeSizes: planes.map(\.size), windows: planes.map(\.window),
      orientation: orientation, range: range, alpha: alpha, profile: profile)
    for (index, plane) in planes.enumerated() {
      let samples = plane.size.width * plane.channels
      switch target {
      case .eight:
        // Limited 16-bit YCbCr reaches from 16·256 to 235·256 (ITU-R BT.2100), full-range samples to 65535.
        let isLimited = range == .limited
        try result.withMutableSamples(UInt8.self, ofPlane: index) { output in
          withSamples(UInt16.self, ofPlane: index) { input in
            for y in 0..<plane.size.height {
              let (from, to) = (input.row(y), output.row(y))
              for x in 0..<samples {
                let value = UInt32(from[x])
                to[x] = UInt8(
                  truncatingIfNeeded: isLimited ? min((value &+ 128) >> 8, 255) : (value &* 255 &+ 32_767) / 65_535)
              }
            }
          }
        }
      case .sixteen:
        let factor: UInt16 = range == .limited ? 256 : 257
        try result.withMutableSamples(UInt16.self, ofPlane: index) { output in
          withSamples(UInt8.self, ofPlane: index) { input in
            for y in 0..<plane.size.height {
              let (from, to) = (input.row(y), output.row(y))
              for x in 0..<samples { to[x] = UInt16(from[x]) &* factor }
            }
          }
        }
      }
    }
    return result
  }
}
