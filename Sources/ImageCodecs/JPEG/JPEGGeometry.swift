import CImageCodecs
import FetchPipeline

/// The planes that a JPEG comes out as at a scale, and which part of each is the picture.
struct JPEGGeometry {
  let layout: PixelLayout
  let planeSizes: [PixelSize]
  /// Windows end where the picture does, at fractions of a sample: decoded sizes are rounded up.
  let windows: [PixelRect]

  /// The scales, in eighths, for which the library has a fast transform.
  static let scales = [1, 2, 4, 8]

  /// The smallest of `scales` that keeps at least `scale`.
  static func eighths(for scale: Double) -> Int {
    // A scale that is a hair above n/8 for rounding alone is n/8.
    scales.first { Double($0) / 8 * (1 + 1e-12) >= scale } ?? 8
  }

  init(_ header: fp_jpeg_header, _ scaled: fp_jpeg_scaled, eighths: Int) throws {
    layout = try Self.layout(of: header)
    let size = (width: Int(header.width), height: Int(header.height))
    guard layout == .yCbCr || layout == .gray else {
      planeSizes = [PixelSize(width: Int(scaled.width), height: Int(scaled.height))]
      windows = [
        PixelRect(
          x: 0, y: 0, width: Double(size.width * eighths) / 8, height: Double(size.height * eighths) / 8)
      ]
      return
    }
    let components = 0..<Int(header.components)
    let (horizontal, vertical) = (Self.array(header.horizontal), Self.array(header.vertical))
    let (columns, rows) = (Self.array(header.block_columns), Self.array(header.block_rows))
    let sides = Self.array(scaled.block_side)
    let most = (horizontal: horizontal.max() ?? 1, vertical: vertical.max() ?? 1)
    planeSizes = components.map { PixelSize(width: columns[$0] * sides[$0], height: rows[$0] * sides[$0]) }
    windows = components.map { index in
      // A component has its share of the samples (T.81, A.1.1), of which `side` of 8 come out in each direction: under a
      // scale, the library makes chroma as dense as luma as far as it can.
      PixelRect(
        x: 0, y: 0, width: Double(size.width * horizontal[index] * sides[index]) / Double(most.horizontal * 8),
        height: Double(size.height * vertical[index] * sides[index]) / Double(most.vertical * 8))
    }
  }

  /// The bytes of all planes.
  var byteCount: Int {
    planeSizes.reduce(0) { $0 + (($1.width * layout.channels + 63) & ~63) * $1.height }
  }

  /// A picture with these planes, not yet filled.
  func makeImage(for probe: ImageProbe) throws -> PixelImage {
    try PixelImage(
      layout: layout, size: probe.size, planeSizes: planeSizes, windows: windows, orientation: probe.orientation)
  }

  /// The layout that a picture comes out in. Throws `unsupported-feature` where the meaning of the components is not known.
  static func layout(of header: fp_jpeg_header) throws -> PixelLayout {
    switch (header.space, header.components) {
    case (FP_JPEG_SPACE_GRAY, 1): return .gray
    case (FP_JPEG_SPACE_YCC, 3): return .yCbCr
    case (FP_JPEG_SPACE_RGB, 3): return .rgb
    case (FP_JPEG_SPACE_CMYK, 4), (FP_JPEG_SPACE_YCCK, 4): return .cmyk
    default:
      throw PipelineError(
        .decode, .unsupportedFeature, "a JPEG of \(header.components) components, whose meaning is not known")
    }
  }

  static func array(_ values: (Int32, Int32, Int32, Int32)) -> [Int] {
    [Int(values.0), Int(values.1), Int(values.2), Int(values.3)]
  }
}
