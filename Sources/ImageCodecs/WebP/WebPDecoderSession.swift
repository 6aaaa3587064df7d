import CWebP
import FetchPipeline

/// Decodes WebPs on one thread, one after the other.
final class WebPDecoderSession: ImageDecoderSession {
  /// The bytes that are decoded between two checkpoints.
  private static let slice = 131_072

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let container = try bytes.withUnsafeBytes { try WebPContainer($0) }
    try limits.check(container.size)
    return ImageProbe(
      format: .webp, storedSize: container.size, orientation: container.orientation ?? .up,
      layout: Self.layout(of: container), hasAlpha: container.hasAlpha || container.isAnimated,
      frames: container.frames)
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let (width, height) = (Double(probe.storedSize.width + 64), Double(probe.storedSize.height + 64))
    // libwebp holds a lossless picture in full (4 bytes a pixel), of a lossy one some rows; an animation's canvas twice.
    let working = probe.layout == .yCbCr ? width * 400 : width * height * (probe.layout == .rgba ? 12 : 8)
    return Int(min(working + width * height * plan.scale * plan.scale * 4 + 2_000_000, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let container = try WebPContainer(buffer)
      var image =
        if container.isAnimated {
          try firstFrame(buffer, container: container, probe: probe, checkpoint: checkpoint)
        } else {
          try still(buffer, container: container, probe: probe, plan: plan, checkpoint: checkpoint)
        }
      if let profile = container.profile { image.profile = profile }
      return DecodedImage(image)
    }
  }

  private static func layout(of container: WebPContainer) -> PixelLayout {
    if container.hasAlpha || container.isAnimated { return .rgba }
    return container.isLossless ? .rgb : .yCbCr
  }

  // MARK: Still pictures

  private func still(
    _ bytes: UnsafeRawBufferPointer, container: WebPContainer, probe: ImageProbe, plan: DecodePlan,
    checkpoint: DecodeCheckpoint
  ) throws -> PixelImage {
    let stored = container.size
    let layout = Self.layout(of: container)
    // The colours under transparency are anybody's guess; libwebp would mix them in. The resize does not.
    let target = layout == .rgba ? stored : Self.scaledSize(stored, by: plan.scale)
    var image = try Self.image(layout, target: target, stored: stored, probe: probe)
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfigInternal(&config, Int32(WEBP_DECODER_ABI_VERSION)) != 0 else {
      throw PipelineError(.decode, .unsupportedFeature, "libwebp is another version than it was built for")
    }
    if target != stored {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(target.width)
      config.options.scaled_height = Int32(target.height)
    }
    let planes = image.planes
    try image.withUnsafeMutableBytes(ofPlane: 0) { first in
      guard let base = first.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      config.output.is_external_memory = 1
      config.output.width = Int32(target.width)
      config.output.height = Int32(target.height)
      if layout == .yCbCr {
        config.output.colorspace = MODE_YUV
        config.output.u.YUVA = Self.yuv(planes, base: base)
      } else {
        config.output.colorspace = layout == .rgba ? MODE_RGBA : MODE_RGB
        config.output.u.RGBA = WebPRGBABuffer(
          rgba: base, stride: Int32(planes[0].bytesPerRow), size: planes[0].byteCount)
      }
      try Self.run(&config, bytes, checkpoint: checkpoint)
    }
    return image
  }

  /// Feeds the data in slices, so that decoding can be ended in between.
  private static func run(
    _ config: inout WebPDecoderConfig, _ bytes: UnsafeRawBufferPointer, checkpoint: DecodeCheckpoint
  ) throws {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let decoder = WebPIDecode(nil, 0, &config)
    else { throw PipelineError(.decode, .outOfBudget, "the system has no memory for this WebP") }
    defer { WebPIDelete(decoder) }
    var fed = 0
    var status = VP8_STATUS_SUSPENDED
    while fed < bytes.count, status == VP8_STATUS_SUSPENDED {
      try checkpoint()
      fed = min(fed + slice, bytes.count)
      status = WebPIUpdate(decoder, base, fed)
    }
    try WebPStatus.check(status)
  }

  /// A size of at least `scale` of the stored one, in each direction.
  private static func scaledSize(_ stored: PixelSize, by scale: Double) -> PixelSize {
    guard scale < 1 else { return stored }
    return PixelSize(
      width: min(max(Int((Double(stored.width) * scale).rounded(.up)), 1), stored.width),
      height: min(max(Int((Double(stored.height) * scale).rounded(.up)), 1), stored.height))
  }

  private static func image(
    _ layout: PixelLayout, target: PixelSize, stored: PixelSize, probe: ImageProbe
  ) throws -> PixelImage {
    guard layout == .yCbCr else {
      return try PixelImage(
        layout: layout, size: probe.size, planeSizes: [target], orientation: probe.orientation)
    }
    let half = ChromaSubsampling.half
    let (chroma, storedChroma) = (half.planeSize(for: target), half.planeSize(for: stored))
    // The library maps the stored chroma samples onto the scaled ones; the picture covers half its luma's columns of
    // them, which for an odd number ends within a sample.
    let window = PixelRect(
      x: 0, y: 0, width: Double(stored.width) / 2 * Double(chroma.width) / Double(storedChroma.width),
      height: Double(stored.height) / 2 * Double(chroma.height) / Double(storedChroma.height))
    return try PixelImage(
      layout: .yCbCr, size: probe.size, planeSizes: [target, chroma, chroma],
      windows: [PixelRect(target), window, window], orientation: probe.orientation, range: .limited)
  }

  private static func yuv(_ planes: [PixelPlane], base: UnsafeMutablePointer<UInt8>) -> WebPYUVABuffer {
    var buffer = WebPYUVABuffer()
    (buffer.y, buffer.y_stride, buffer.y_size) = (base, Int32(planes[0].bytesPerRow), planes[0].byteCount)
    (buffer.u, buffer.u_stride, buffer.u_size) = (
      base + planes[1].offset - planes[0].offset, Int32(planes[1].bytesPerRow), planes[1].byteCount
    )
    (buffer.v, buffer.v_stride, buffer.v_size) = (
      base + planes[2].offset - planes[0].offset, Int32(planes[2].bytesPerRow), planes[2].byteCount
    )
    return buffer
  }

  // MARK: Animations

  /// The first frame, composed on the canvas; what it does not cover is transparent.
  private func firstFrame(
    _ bytes: UnsafeRawBufferPointer, container: WebPContainer, probe: ImageProbe, checkpoint: DecodeCheckpoint
  ) throws -> PixelImage {
    try checkpoint()
    var options = WebPAnimDecoderOptions()
    guard WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION) != 0 else {
      throw PipelineError(.decode, .unsupportedFeature, "libwebp is another version than it was built for")
    }
    options.color_mode = MODE_RGBA
    var data = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
    guard let decoder = WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION) else {
      throw PipelineError(.decode, .truncated, "the animation is damaged, or ends early")
    }
    defer { WebPAnimDecoderDelete(decoder) }
    var canvas: UnsafeMutablePointer<UInt8>?
    var time: Int32 = 0
    guard WebPAnimDecoderGetNext(decoder, &canvas, &time) != 0, let canvas else {
      throw PipelineError(.decode, .corrupt, "the first frame of the animation is damaged")
    }
    let size = container.size
    var image = try PixelImage(
      layout: .rgba, size: probe.size, planeSizes: [size], orientation: probe.orientation)
    let bytesPerRow = image.planes[0].bytesPerRow
    try image.withUnsafeMutableBytes(ofPlane: 0) { target in
      for row in 0..<size.height {
        target.baseAddress.map {
          ($0 + row * bytesPerRow).copyMemory(from: canvas + row * size.width * 4, byteCount: size.width * 4)
        }
      }
    }
    return image
  }
}
