import FetchPipeline

extension PixelImage {
  /// A picture whose planes are whole, each sample from its plane, column, row and channel.
  static func make(
    _ layout: PixelLayout, _ width: Int, _ height: Int, depth: SampleDepth = .eight, planes: [PixelSize]? = nil,
    windows: [PixelRect]? = nil, size: PixelSize? = nil, orientation: Orientation = .up, alpha: AlphaState? = nil,
    range: SampleRange = .full,
    _ sample: (_ plane: Int, _ x: Int, _ y: Int, _ channel: Int) -> Int
  ) throws -> PixelImage {
    let stored = PixelSize(width: width, height: height)
    var image = try PixelImage(
      layout: layout, depth: depth, size: size ?? orientation.applied(to: stored),
      planeSizes: planes ?? Array(repeating: stored, count: layout.planeCount), windows: windows,
      orientation: orientation, range: range, alpha: alpha)
    for (index, plane) in image.planes.enumerated() {
      try image.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.size.height {
          for x in 0..<plane.size.width {
            for channel in 0..<plane.channels {
              let offset = y * plane.bytesPerRow + (x * plane.channels + channel) * depth.bytes
              let value = sample(index, x, y, channel)
              switch depth {
              case .eight: bytes.storeBytes(of: UInt8(value), toByteOffset: offset, as: UInt8.self)
              case .sixteen: bytes.storeBytes(of: UInt16(value), toByteOffset: offset, as: UInt16.self)
              }
            }
          }
        }
      }
    }
    return image
  }

  /// The samples of a plane, row by row, channels side by side.
  func samples(ofPlane index: Int = 0) -> [Int] {
    let plane = planes[index]
    return withUnsafeBytes(ofPlane: index) { bytes in
      var result: [Int] = []
      result.reserveCapacity(plane.size.width * plane.size.height * plane.channels)
      for y in 0..<plane.size.height {
        for x in 0..<plane.size.width * plane.channels {
          let offset = y * plane.bytesPerRow + x * depth.bytes
          switch depth {
          case .eight: result.append(Int(bytes[offset]))
          case .sixteen: result.append(Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
          }
        }
      }
      return result
    }
  }

  /// A pixel's samples in a plane.
  func pixel(_ x: Int, _ y: Int, plane: Int = 0) -> [Int] {
    let columns = planes[plane].size.width
    let channels = planes[plane].channels
    let start = (y * columns + x) * channels
    return Array(samples(ofPlane: plane)[start..<start + channels])
  }
}

/// The same numbers on every run: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
