import CImageCodecs
import FetchPipeline

/// Decodes JPEGs on one thread, one after the other.
final class JPEGDecoderSession: ImageDecoderSession {
  private var decompressor: JPEGDecompressor?
  /// Whether the picture probed last comes in several scans, so that all its coefficients are kept.
  private var hasSeveralScans = true

  /// The most scans that are read; a crafted file may have thousands, each of which touches every block.
  private static let scanLimit = 500

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let decompressor = try opened()
    return try decompressor.open(bytes) { header in
      let size = PixelSize(width: Int(header.width), height: Int(header.height))
      try limits.check(size)
      hasSeveralScans = header.has_several_scans
      return ImageProbe(
        format: .jpeg, storedSize: size, orientation: Self.orientation(in: decompressor) ?? .up,
        layout: try Self.layout(of: header))
    }
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let (width, height) = (Double(probe.storedSize.width + 64), Double(probe.storedSize.height + 64))
    let scale = Double(Self.eighths(for: plan.scale)) / 8
    // At most three planes of the luma's size, or four channels; under a scale chroma may come out larger than stored.
    let samples = width * height * scale * scale * 4
    let coefficients = hasSeveralScans ? width * height * 3 * 2 : 0
    return Int(min(samples + coefficients + 200_000, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    let decompressor = try opened()
    return try decompressor.open(bytes) { header in
      let eighths = Self.eighths(for: plan.scale)
      let scaled = try decompressor.scaled(eighths)
      let (profile, isBroken) = JPEGColorProfile.embedded(in: decompressor)
      var image: PixelImage
      switch try Self.layout(of: header) {
      case .yCbCr, .gray:
        image = try Self.planes(header, scaled, probe: probe)
        try decompressor.readPlanes(into: &image, scanLimit: Self.scanLimit, checkpoint: checkpoint)
      case let layout:
        image = try Self.pixels(layout, scaled, eighths: eighths, probe: probe)
        try decompressor.readPixels(into: &image, scanLimit: Self.scanLimit, checkpoint: checkpoint)
        if layout == .cmyk, header.has_adobe_marker { try image.invertSamples() }
      }
      if let profile { image.profile = profile }
      let notes = decompressor.notes
      if let damage = notes.damage { throw damage }
      var flags: Set<ResultFlag> = notes.hasHarmlessFlaws ? [.tolerated] : []
      if isBroken { flags.insert(.iccInvalid) }
      if image.layout == .cmyk { flags.insert(.cmyk) }
      return DecodedImage(image, flags: flags)
    }
  }

  private func opened() throws -> JPEGDecompressor {
    if let decompressor { return decompressor }
    let made = try JPEGDecompressor()
    decompressor = made
    return made
  }

  /// The scale in eighths: the smallest for which the library has a fast transform that keeps at least `scale`.
  static func eighths(for scale: Double) -> Int {
    [1, 2, 4].first { Double($0) / 8 >= scale } ?? 8
  }

  private static func layout(of header: fp_jpeg_header) throws -> PixelLayout {
    switch header.space {
    case FP_JPEG_SPACE_GRAY where header.components == 1: return .gray
    case FP_JPEG_SPACE_YCC where header.components == 3: return .yCbCr
    case FP_JPEG_SPACE_RGB where header.components == 3: return .rgb
    case FP_JPEG_SPACE_CMYK where header.components == 4, FP_JPEG_SPACE_YCCK where header.components == 4: return .cmyk
    default:
      throw PipelineError(
        .decode, .unsupportedFeature, "a JPEG of \(header.components) components whose meaning is not stated")
    }
  }

  /// A picture for the components as stored. Its windows end where the picture does, at fractions of a sample.
  private static func planes(
    _ header: fp_jpeg_header, _ scaled: fp_jpeg_scaled, probe: ImageProbe
  ) throws -> PixelImage {
    let count = Int(header.components)
    let horizontal = array(header.horizontal, count)
    let vertical = array(header.vertical, count)
    let columns = array(header.block_columns, count)
    let rows = array(header.block_rows, count)
    let sides = array(scaled.block_side, count)
    let (mostHorizontal, mostVertical) = (horizontal.max() ?? 1, vertical.max() ?? 1)
    let size = probe.storedSize
    let windows = (0..<count).map { index in
      // A component has its share of the samples (T.81, A.1.1), `side` of 8 of them.
      let side = Double(sides[index]) / 8
      return PixelRect(
        x: 0, y: 0, width: Double(size.width * horizontal[index]) / Double(mostHorizontal) * side,
        height: Double(size.height * vertical[index]) / Double(mostVertical) * side)
    }
    return try PixelImage(
      layout: count == 1 ? .gray : .yCbCr, size: probe.size,
      planeSizes: (0..<count).map {
        PixelSize(width: columns[$0] * sides[$0], height: rows[$0] * sides[$0])
      },
      windows: windows, orientation: probe.orientation)
  }

  private static func pixels(
    _ layout: PixelLayout, _ scaled: fp_jpeg_scaled, eighths: Int, probe: ImageProbe
  ) throws -> PixelImage {
    let size = probe.storedSize
    let scale = Double(eighths) / 8
    return try PixelImage(
      layout: layout, size: probe.size,
      planeSizes: [PixelSize(width: Int(scaled.width), height: Int(scaled.height))],
      windows: [PixelRect(x: 0, y: 0, width: Double(size.width) * scale, height: Double(size.height) * scale)],
      orientation: probe.orientation)
  }

  /// The orientation of the first EXIF segment.
  private static func orientation(in decompressor: JPEGDecompressor) -> Orientation? {
    var index: Int32 = 0
    while true {
      let found = decompressor.withSegment(app: 1, index: index) { segment -> Orientation?? in
        guard segment.starts(with: Array("Exif\0".utf8)), segment.count > 6 else { return .none }
        return .some(EXIF.orientation(of: UnsafeRawBufferPointer(rebasing: segment[6...])))
      }
      guard let found else { return nil }
      if let orientation = found { return orientation }
      index += 1
    }
  }

  private static func array<Tuple>(_ tuple: Tuple, _ count: Int) -> [Int] {
    withUnsafeBytes(of: tuple) { bytes in
      (0..<count).map { Int(bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Int32>.size, as: Int32.self)) }
    }
  }
}
