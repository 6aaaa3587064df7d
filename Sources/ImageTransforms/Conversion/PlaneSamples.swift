import FetchPipeline

/// A plane's samples as numbers.
struct PlaneSamples<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
  private let base: UnsafeRawPointer
  private let bytesPerRow: Int

  fileprivate init(base: UnsafeRawPointer, bytesPerRow: Int) {
    self.base = base
    self.bytesPerRow = bytesPerRow
  }

  @inline(__always)
  func row(_ index: Int) -> UnsafePointer<Sample> {
    (base + index * bytesPerRow).assumingMemoryBound(to: Sample.self)
  }
}

/// A plane's samples as numbers that can be written.
struct MutablePlaneSamples<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
  private let base: UnsafeMutableRawPointer
  private let bytesPerRow: Int

  fileprivate init(base: UnsafeMutableRawPointer, bytesPerRow: Int) {
    self.base = base
    self.bytesPerRow = bytesPerRow
  }

  @inline(__always)
  func row(_ index: Int) -> UnsafeMutablePointer<Sample> {
    (base + index * bytesPerRow).assumingMemoryBound(to: Sample.self)
  }
}

extension PixelImage {
  /// Calls `body` with the samples of a plane, which are of the type that `depth` says.
  @inline(__always)
  func withSamples<Sample, Result>(
    _ type: Sample.Type, ofPlane index: Int, _ body: (PlaneSamples<Sample>) throws -> Result
  ) rethrows -> Result? {
    let plane = planes[index]
    return try withUnsafeBytes(ofPlane: index) { bytes in
      try bytes.baseAddress.map { try body(PlaneSamples(base: $0, bytesPerRow: plane.bytesPerRow)) }
    }
  }

  /// Calls `body` with the samples of a plane for writing.
  @inline(__always)
  mutating func withMutableSamples<Sample>(
    _ type: Sample.Type, ofPlane index: Int, _ body: (MutablePlaneSamples<Sample>) throws -> Void
  ) throws {
    let plane = planes[index]
    try withUnsafeMutableBytes(ofPlane: index) { bytes in
      if let base = bytes.baseAddress { try body(MutablePlaneSamples(base: base, bytesPerRow: plane.bytesPerRow)) }
    }
  }

  /// A picture of another layout or depth with the same extent, orientation and profile, whose planes have the size and
  /// window of this one's first; its samples are still to be written.
  func blank(
    _ layout: PixelLayout, depth: SampleDepth? = nil, alpha: AlphaState = .opaque
  ) throws -> PixelImage {
    try PixelImage(
      layout: layout, depth: depth ?? self.depth, size: size,
      planeSizes: Array(repeating: planes[0].size, count: layout.planeCount),
      windows: Array(repeating: planes[0].window, count: layout.planeCount), orientation: orientation, alpha: alpha,
      profile: profile)
  }

  /// A picture of another single-plane layout, each pixel made from one of this picture's first plane.
  ///
  /// - Parameter convert: from a source pixel's samples to a target pixel's.
  @inline(__always)
  func mappingPixels<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    of type: Sample.Type, to layout: PixelLayout, alpha: AlphaState = .opaque,
    _ convert: (UnsafePointer<Sample>, UnsafeMutablePointer<Sample>) -> Void
  ) throws -> PixelImage {
    var result = try blank(layout, alpha: alpha)
    let size = planes[0].size
    let (from, to) = (self.layout.channels, layout.channels)
    try result.withMutableSamples(type, ofPlane: 0) { target in
      withSamples(type, ofPlane: 0) { source in
        for y in 0..<size.height {
          var input = source.row(y)
          var output = target.row(y)
          for _ in 0..<size.width {
            convert(input, output)
            input += from
            output += to
          }
        }
      }
    }
    return result
  }
}
