/// A picture in memory: planes of samples, and what they mean.
///
/// A value with one owner of the samples behind it: copies share them, and a change to a shared picture copies first.
///
/// A picture has a nominal `size`, as displayed, which is what transforms reckon in. What is stored may be sparser (a
/// scaled decode), unturned (`orientation` says what is still to be done) and larger than the picture (each plane's
/// `window`): `PixelConverter` makes it literal where a stage needs that.
public struct PixelImage: Sendable {
  /// The arrangement of samples.
  public let layout: PixelLayout
  /// The size of a sample.
  public let depth: SampleDepth
  /// The excursion of YCbCr samples; `full` for every other layout.
  public var range: SampleRange
  /// The nominal size, as displayed.
  public var size: PixelSize
  /// What is still to be done to show the stored samples upright.
  public var orientation: Orientation
  /// What alpha has done to the colours.
  public var alpha: AlphaState
  /// What the colours refer to.
  public var profile: ColorProfile
  /// The planes, in the layout's order.
  public private(set) var planes: [PixelPlane]

  private var storage: PixelStorage

  /// A picture whose samples are not yet written.
  ///
  /// - Parameters:
  ///   - size: the nominal size, as displayed.
  ///   - planeSizes: the stored samples of each plane; as many as the layout has.
  ///   - windows: the part of each plane that is the picture; all of it where left out.
  /// - Throws: `out-of-budget` where a size overflows or the system has no memory for it.
  public init(
    layout: PixelLayout, depth: SampleDepth = .eight, size: PixelSize, planeSizes: [PixelSize],
    windows: [PixelRect]? = nil, orientation: Orientation = .up, range: SampleRange = .full,
    alpha: AlphaState? = nil, profile: ColorProfile = .sRGB
  ) throws {
    precondition(planeSizes.count == layout.planeCount && (windows?.count ?? planeSizes.count) == planeSizes.count)
    var planes: [PixelPlane] = []
    var total = 0
    for (index, planeSize) in planeSizes.enumerated() {
      let plane = try PixelPlane(
        size: planeSize, channels: layout.channels, depth: depth, offset: total, window: windows?[index])
      let (sum, overflow) = total.addingReportingOverflow(plane.byteCount)
      guard !overflow else { throw Self.tooLarge(planeSize) }
      total = sum
      planes.append(plane)
    }
    self.layout = layout
    self.depth = depth
    self.range = range
    self.size = size
    self.orientation = orientation
    self.alpha = alpha ?? (layout.hasAlpha ? .straight : .opaque)
    self.profile = profile
    self.planes = planes
    storage = try PixelStorage(byteCount: total)
  }

  /// A picture of `size` whose planes all have that size.
  public init(
    layout: PixelLayout, depth: SampleDepth = .eight, size: PixelSize, alpha: AlphaState? = nil,
    profile: ColorProfile = .sRGB
  ) throws {
    try self.init(
      layout: layout, depth: depth, size: size, planeSizes: Array(repeating: size, count: layout.planeCount),
      alpha: alpha, profile: profile)
  }

  /// The nominal size in stored orientation.
  public var storedSize: PixelSize { orientation.applied(to: size) }

  /// Whether the samples are the picture to the letter: upright, and every plane whole. (Subsampled chroma is.)
  public var isLiteral: Bool { orientation == .up && planes[0].isWhole && planes[0].size == size }

  /// The bytes of all planes.
  public var byteCount: Int { planes.reduce(0) { $0 + $1.byteCount } }

  /// Calls `body` with the rows of a plane, `planes[index].bytesPerRow` bytes apart.
  @inline(__always)
  public func withUnsafeBytes<Result, Failure: Error>(
    ofPlane index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(storage.bytes(of: planes[index])))
  }

  /// Calls `body` with the rows of a plane for writing; samples that are shared are copied first.
  @inline(__always)
  public mutating func withUnsafeMutableBytes<Result>(
    ofPlane index: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) throws -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = try storage.copy() }
    defer { withExtendedLifetime(storage) {} }
    return try body(storage.bytes(of: planes[index]))
  }

  /// Sets the part of a plane that is the picture.
  public mutating func setWindow(_ window: PixelRect, ofPlane index: Int) {
    planes[index].window = window
  }

  fileprivate static func tooLarge(_ size: PixelSize) -> PipelineError {
    PipelineError(.decode, .outOfBudget, "a plane of \(size) samples cannot be held in memory")
  }
}

extension PixelPlane {
  fileprivate init(
    size: PixelSize, channels: Int, depth: SampleDepth, offset: Int, window: PixelRect?
  ) throws {
    guard size.width > 0, size.height > 0, size.width <= Int(Int32.max), size.height <= Int(Int32.max) else {
      throw PixelImage.tooLarge(size)
    }
    // At most 2³¹ × 4 × 2 bytes: no overflow before the product with the rows, which is checked.
    let bytesPerRow = (size.width * channels * depth.bytes + 63) & ~63
    guard !bytesPerRow.multipliedReportingOverflow(by: size.height).overflow else { throw PixelImage.tooLarge(size) }
    self.init(
      size: size, channels: channels, bytesPerRow: bytesPerRow, offset: offset, window: window ?? PixelRect(size))
  }
}
