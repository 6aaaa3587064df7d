import CWebP
import FetchPipeline

/// Decodes WebPs on one thread, one after the other.
final class WebPDecoderSession: ImageDecoderSession {
  /// How the picture that was probed last is decoded, and what its profile takes.
  private var probed: (way: Way, profileByteCount: Int)?

  /// The ways to pixels.
  private enum Way {
    /// Lossy, opaque: planes as stored, scaled by libwebp.
    case planes
    /// Lossless: scaled by libwebp, which multiplies by alpha first.
    case pixels
    /// Lossy with alpha, or less than its canvas: in full, and then averaged here, since libwebp scales colours of lossy
    /// pictures without regard to alpha.
    case canvas
  }

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    try bytes.withUnsafeBytes { buffer in
      let container = try WebPContainer(buffer, mostFrames: limits.containerFrames)
      try limits.check(container.size)
      let way = Self.way(of: container)
      probed = (way, container.profile?.count ?? 0)
      return ImageProbe(
        format: .webp, storedSize: container.size, orientation: container.orientation,
        layout: Self.layout(of: container, way), frames: container.frameCount)
    }
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let (width, height) = (Double(probe.storedSize.width), Double(probe.storedSize.height))
    let pixels = width * height
    let way = probed?.way ?? .canvas
    let geometry = WebPGeometry(size: probe.storedSize, plan: plan)
    let stride = Double((geometry.scaled.width * probe.layout.channels + 63) & ~63)
    let plane = stride * Double(geometry.scaled.height)
    // Rows of macroblocks with what they are predicted from, and rows of the scaler.
    let rows = width * 300 + 1_000_000
    let profile = Double(probed?.profileByteCount ?? 0)
    // Beside the canvas there is either the alpha of a lossy picture while it is decoded (a byte a pixel, and four of its
    // lossless code), or what the canvas is averaged to.
    let boxes = BoxGeometry(size: probe.storedSize, plan: plan, mayReduce: true)
    let reduced = boxes.isReduced ? Double(boxes.planeSize.width * 4 + 64) * Double(boxes.planeSize.height) : 0
    let total: Double =
      switch way {
      case .planes: plane * 1.6 + 128 * height + rows
      // libwebp keeps all pixels of a lossless picture, in four bytes each.
      case .pixels: plane + pixels * 4 + rows
      case .canvas: pixels * 4 + 64 * height + max(pixels * 5, reduced) + rows
      }
    return Int(min(total + profile, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let container = try WebPContainer(buffer, mostFrames: plan.limits.containerFrames)
      try plan.limits.check(container.size)
      let way = Self.way(of: container)
      var image: PixelImage
      let damage: PipelineError?
      switch way {
      case .planes: (image, damage) = try Self.planes(of: container, plan: plan, checkpoint: checkpoint)
      case .pixels: (image, damage) = try Self.pixels(of: container, plan: plan, checkpoint: checkpoint)
      case .canvas: (image, damage) = try Self.canvas(of: container, plan: plan, checkpoint: checkpoint)
      }
      if let profile = container.profile { image.profile = .icc(profile) }
      return DecodedImage(image, flags: container.isWhole || damage != nil ? [] : [.tolerated], damage: damage)
    }
  }

  private static func way(of container: WebPContainer) -> Way {
    if !container.isFrameWhole { return .canvas }
    if container.frame.isLossless { return .pixels }
    return container.frame.hasAlpha ? .canvas : .planes
  }

  private static func layout(of container: WebPContainer, _ way: Way) -> PixelLayout {
    switch way {
    case .planes: .yCbCr
    case .pixels: container.frame.hasAlpha ? .rgba : .rgb
    case .canvas: .rgba
    }
  }

  // MARK: The ways

  private static func planes(
    of container: WebPContainer, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> (PixelImage, damage: PipelineError?) {
    let size = container.size
    let geometry = WebPGeometry(size: size, plan: plan)
    let chroma = ChromaSubsampling.half.planeSize(for: geometry.scaled)
    let orientation = container.orientation
    let chromaWindow = geometry.window(of: size, subsampling: 2)
    var image = try PixelImage(
      layout: .yCbCr, size: orientation.applied(to: size), planeSizes: [geometry.scaled, chroma, chroma],
      windows: [geometry.window(of: size, subsampling: 1), chromaWindow, chromaWindow], orientation: orientation,
      range: .limited)
    let planes = image.planes
    if plan.onDamage == .salvage {
      for index in planes.indices { try image.fill(plane: index, with: index == 0 ? 126 : 128) }
    }
    let damage = try image.withUnsafeMutableBytes(ofPlane: 0) { first -> PipelineError? in
      guard let base = first.baseAddress else { return nil }
      // All planes lie in one storage, at their offsets from the first.
      let destinations = planes.map { plane in
        WebPFrameDecoder.Destination(
          base + (plane.offset - planes[0].offset), bytesPerRow: plane.bytesPerRow, rows: plane.size.height,
          rowBytes: plane.size.width)
      }
      return try WebPFrameDecoder(frame: container.frame, geometry: geometry, onDamage: plan.onDamage)
        .decodePlanes(destinations, checkpoint: checkpoint)
    }
    return (image, damage)
  }

  private static func pixels(
    of container: WebPContainer, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> (PixelImage, damage: PipelineError?) {
    let geometry = WebPGeometry(size: container.size, plan: plan)
    let orientation = container.orientation
    let hasAlpha = container.frame.hasAlpha
    let isPremultiplied = hasAlpha && geometry.isScaled
    var image = try PixelImage(
      layout: hasAlpha ? .rgba : .rgb, size: orientation.applied(to: container.size), planeSizes: [geometry.scaled],
      windows: [geometry.window(of: container.size, subsampling: 1)], orientation: orientation,
      alpha: isPremultiplied ? .premultiplied : nil)
    let plane = image.planes[0]
    if plan.onDamage == .salvage { try image.fill(plane: 0, with: hasAlpha ? 0 : 128) }
    let damage = try image.withUnsafeMutableBytes(ofPlane: 0) { bytes -> PipelineError? in
      guard let base = bytes.baseAddress else { return nil }
      let destination = WebPFrameDecoder.Destination(
        base, bytesPerRow: plane.bytesPerRow, rows: plane.size.height, rowBytes: plane.size.width * plane.channels)
      return try WebPFrameDecoder(frame: container.frame, geometry: geometry, onDamage: plan.onDamage).decodePixels(
        hasAlpha ? (isPremultiplied ? MODE_rgbA : MODE_RGBA) : MODE_RGB, to: destination, checkpoint: checkpoint)
    }
    return (image, damage)
  }

  private static func canvas(
    of container: WebPContainer, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> (PixelImage, damage: PipelineError?) {
    let orientation = container.orientation
    let frame = container.frame
    var image = try PixelImage(
      layout: .rgba, size: orientation.applied(to: container.size), planeSizes: [container.size],
      orientation: orientation)
    let plane = image.planes[0]
    let damage = try image.withUnsafeMutableBytes(ofPlane: 0) { bytes -> PipelineError? in
      guard let base = bytes.baseAddress else { return nil }
      if !container.isFrameWhole || plan.onDamage == .salvage {
        base.initializeMemory(as: UInt8.self, repeating: 0, count: bytes.count)
      }
      let fits =
        frame.left >= 0 && frame.top >= 0 && frame.left + frame.size.width <= container.size.width
        && frame.top + frame.size.height <= container.size.height
      guard fits else { throw PipelineError(.decode, .corrupt, "a WebP's frame lies beyond its canvas") }
      let destination = WebPFrameDecoder.Destination(
        base + frame.top * plane.bytesPerRow + frame.left * 4, bytesPerRow: plane.bytesPerRow,
        rows: frame.size.height, rowBytes: frame.size.width * 4)
      let whole = WebPGeometry(size: frame.size, plan: DecodePlan())
      return try WebPFrameDecoder(frame: frame, geometry: whole, onDamage: plan.onDamage)
        .decodePixels(MODE_RGBA, to: destination, checkpoint: checkpoint)
    }
    return (try image.boxReduced(for: plan, checkpoint: checkpoint), damage)
  }
}
