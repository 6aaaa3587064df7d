import CImageCodecs
import FetchPipeline

/// Decodes PNGs on one thread, one after the other.
final class PNGDecoderSession: ImageDecoderSession {
  /// Rows between two checkpoints.
  private static let stride = 16

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let chunks = try bytes.withUnsafeBytes { try PNGChunks($0) }
    try limits.check(chunks.size)
    return ImageProbe(
      format: .png, storedSize: chunks.size, orientation: chunks.orientation ?? .up, layout: chunks.layout,
      depth: chunks.depth, frames: chunks.frames)
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let factor = Double(Self.reduction(for: plan.scale))
    let bytesPerPixel = Double(probe.layout.channels * probe.depth.bytes)
    let (width, height) = (Double(probe.storedSize.width + 64), Double(probe.storedSize.height + 64))
    // An interlaced picture has to be held in full, whatever is wanted of it; which it is, is not known here.
    let full = width * height * bytesPerPixel
    let rows = width * bytesPerPixel * 24
    return Int(min(full + full / (factor * factor) + rows + 1_000_000, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let reader = try PNGReader()
      let header = try reader.open(buffer)
      let layout = try Self.layout(of: header)
      let depth: SampleDepth = header.bits == 16 ? .sixteen : .eight
      let factor = header.passes == 1 ? Self.reduction(for: plan.scale) : 1
      var image =
        if factor > 1 {
          try reduced(by: factor, layout: layout, depth: depth, probe: probe, reader: reader, checkpoint: checkpoint)
        } else {
          try whole(
            passes: Int(header.passes), layout: layout, depth: depth, probe: probe, reader: reader,
            checkpoint: checkpoint)
        }
      if let profile = reader.profile { image.profile = profile }
      // Every pixel is there by now: what is wrong with the rest cost none.
      return DecodedImage(image, flags: reader.finish() ? [] : [.tolerated])
    }
  }

  /// How many columns and rows become one: as many as leave `scale` of the samples.
  static func reduction(for scale: Double) -> Int {
    guard scale > 0, scale <= 0.5 else { return 1 }
    return min(Int((1 / scale).rounded(.down)), 64)
  }

  private static func layout(of header: fp_png_header) throws -> PixelLayout {
    switch header.channels {
    case 1: .gray
    case 2: .grayAlpha
    case 3: .rgb
    case 4: .rgba
    default: throw PipelineError(.decode, .corrupt, "a PNG of \(header.channels) channels")
    }
  }

  private func whole(
    passes: Int, layout: PixelLayout, depth: SampleDepth, probe: ImageProbe, reader: PNGReader,
    checkpoint: DecodeCheckpoint
  ) throws -> PixelImage {
    let size = probe.storedSize
    var image = try PixelImage(
      layout: layout, depth: depth, size: probe.size, planeSizes: [size], orientation: probe.orientation)
    let bytesPerRow = image.planes[0].bytesPerRow
    try image.withUnsafeMutableBytes(ofPlane: 0) { rows in
      guard let base = rows.baseAddress else { return }
      for _ in 0..<passes {
        for row in Swift.stride(from: 0, to: size.height, by: Self.stride) {
          try checkpoint()
          try reader.readRows(
            into: base + row * bytesPerRow, bytesPerRow: bytesPerRow, count: min(Self.stride, size.height - row))
        }
      }
    }
    return image
  }

  private func reduced(
    by factor: Int, layout: PixelLayout, depth: SampleDepth, probe: ImageProbe, reader: PNGReader,
    checkpoint: DecodeCheckpoint
  ) throws -> PixelImage {
    let size = probe.storedSize
    let cells = PixelSize(
      width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor)
    let window = PixelRect(
      x: 0, y: 0, width: Double(size.width) / Double(factor), height: Double(size.height) / Double(factor))
    var image = try PixelImage(
      layout: layout, depth: depth, size: probe.size, planeSizes: [cells], windows: [window],
      orientation: probe.orientation, alpha: layout.hasAlpha ? .premultiplied : .opaque)
    var reducer = BoxReducer(width: size.width, channels: layout.channels, hasAlpha: layout.hasAlpha, factor: factor)
    let plane = image.planes[0]
    let rowBytes = (size.width * layout.channels * depth.bytes + 15) & ~15
    let strip = UnsafeMutableRawPointer.allocate(byteCount: rowBytes * factor, alignment: 16)
    defer { strip.deallocate() }
    try image.withUnsafeMutableBytes(ofPlane: 0) { target in
      guard let base = target.baseAddress else { return }
      for cellRow in 0..<cells.height {
        try checkpoint()
        let count = min(factor, size.height - cellRow * factor)
        try reader.readRows(into: strip, bytesPerRow: rowBytes, count: count)
        for row in 0..<factor {
          // Below the last row, that row goes on: a cell stands for all its rows.
          let source = UnsafeRawPointer(strip + min(row, count - 1) * rowBytes)
          switch depth {
          case .eight: reducer.add(source.assumingMemoryBound(to: UInt8.self))
          case .sixteen: reducer.add(source.assumingMemoryBound(to: UInt16.self))
          }
        }
        let line = base + cellRow * plane.bytesPerRow
        switch depth {
        case .eight: reducer.finishRow(into: line.assumingMemoryBound(to: UInt8.self))
        case .sixteen: reducer.finishRow(into: line.assumingMemoryBound(to: UInt16.self))
        }
      }
    }
    return image
  }
}
