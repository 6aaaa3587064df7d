import FetchPipeline

/// Decodes PNGs on one thread, one after the other.
final class PNGDecoderSession: ImageDecoderSession {
  /// The container that was probed last, for its share of `peakBytes`.
  private var probed: PNGContainer?

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let container = try bytes.withUnsafeBytes { try PNGContainer($0) }
    try limits.check(container.size)
    probed = container
    var flags: Set<ResultFlag> = container.hasFlaw ? [.tolerated] : []
    if container.color.isHighDynamicRange { flags.insert(.hdr) }
    return ImageProbe(
      format: .png, storedSize: container.size, orientation: container.orientation, layout: container.layout,
      depth: container.depth, hasAlpha: container.hasAlpha, frames: container.frames, flags: flags)
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let geometry = BoxGeometry(size: probe.storedSize, plan: plan, mayReduce: probed?.isInterlaced == false)
    let pixel = probe.layout.channels * probe.depth.bytes
    let plane = geometry.planeSize
    let planeBytes = Double((plane.width * pixel + 63) & ~63) * Double(plane.height)
    let rowBytes = Double(probe.storedSize.width * pixel)
    // libpng keeps two rows in 64 bits a pixel, zlib its window, and code takes pages when it first runs.
    let library = 2 * 8 * Double(probe.storedSize.width) + 1_000_000
    let rows = Double(Self.batchBytes) + rowBytes + 8 * rowBytes
    // zlib packs 1,032 bytes into one at most; the profile is held twice.
    let profile = min(Double(probed?.profileByteCount ?? 0) * 1032, Double(4 << 20)) * 2
    return Int(min(planeBytes + library + rows + profile, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let container = try PNGContainer(buffer)
      try plan.limits.check(container.size)
      let reader = try PNGReader(buffer, size: container.size, onDamage: plan.onDamage)
      guard let layout = reader.layout else { throw PipelineError(.decode, .corrupt, "the PNG has no pixels") }
      let geometry = BoxGeometry(size: container.size, plan: plan, mayReduce: reader.rows.passes == 1)
      var image = try PixelImage(
        layout: layout, depth: reader.depth, size: container.orientation.applied(to: container.size),
        planeSizes: [geometry.planeSize], windows: [geometry.window(of: container.size)],
        orientation: container.orientation)
      var flags: Set<ResultFlag> = container.hasFlaw || !container.isWhole ? [.tolerated] : []
      if container.color.isHighDynamicRange { flags.insert(.hdr) }
      let profile = reader.profile
      image.profile = container.color.profile(embedded: profile)
      if container.profileByteCount != nil, profile == nil, container.color.coding == nil { flags.insert(.iccInvalid) }
      let batch = PNGRowBatch(rowBytes: container.size.width * image.pixelBytes, target: Self.batchBytes)
      try Self.readPixels(of: reader, geometry, by: batch, into: &image, checkpoint: checkpoint)
      let rowsBelow = container.size.height - geometry.rows.upperBound
      // What is below the region is not judged, unless the file ends early: then it is asked for, to see whether it is there.
      if !container.isWhole { try batch.skip(rowsBelow, of: reader, checkpoint: checkpoint) }
      if !container.isWhole || rowsBelow == 0 { try reader.finish() }
      let damage = try reader.damage()
      if damage != nil {
        flags.remove(.tolerated)
      } else if reader.hasOverlookedFlaws {
        flags.insert(.tolerated)
      }
      return DecodedImage(image, flags: flags, damage: damage)
    }
  }

  // MARK: Pixels

  /// The bytes of rows that are read at once, between two checkpoints.
  private static let batchBytes = 1 << 16

  private static func readPixels(
    of reader: PNGReader, _ geometry: BoxGeometry, by batch: PNGRowBatch, into image: inout PixelImage,
    checkpoint: DecodeCheckpoint
  ) throws {
    let stride = image.planes[0].bytesPerRow
    let left = geometry.columns.lowerBound * image.pixelBytes
    try batch.skip(geometry.rows.lowerBound, of: reader, checkpoint: checkpoint)
    if !geometry.isReduced {
      try image.withUnsafeMutableBytes(ofPlane: 0) { plane in
        guard let base = plane.baseAddress else { return }
        // What its passes have not come to yet.
        if reader.rows.passes > 1 { plane.initializeMemory(as: UInt8.self, repeating: reader.fillByte) }
        for _ in 0..<reader.rows.passes {
          for first in Swift.stride(from: 0, to: geometry.rows.count, by: batch.rowCount) {
            try checkpoint()
            let count = min(batch.rowCount, geometry.rows.count - first)
            try reader.readRows(count, to: base + first * stride, stride: stride)
          }
        }
      }
    } else {
      let reduction = BoxReduction(
        layout: image.layout, depth: image.depth, width: geometry.columns.count, factor: geometry.factor)
      try image.withUnsafeMutableBytes(ofPlane: 0) { plane in
        guard var sample = plane.baseAddress else { return }
        try batch.read(geometry.rows.count, of: reader, checkpoint: checkpoint) { row, isLast in
          reduction.add(row + left, isLast: isLast)
          guard reduction.isComplete else { return }
          reduction.finish(into: sample)
          sample += stride
        }
      }
      if image.alpha == .straight { image.alpha = .premultiplied }
    }
  }
}

extension PixelImage {
  /// The bytes of a pixel in the first plane.
  fileprivate var pixelBytes: Int { layout.channels * depth.bytes }
}
