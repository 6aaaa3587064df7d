import FetchPipeline

/// Decodes PNGs on one thread, one after the other.
final class PNGDecoderSession: ImageDecoderSession {
  /// The container that was probed last, for its share of `peakBytes`.
  private var probed: PNGContainer?
  /// What is asked before libpng; nil where that decodes all.
  private let inflated: InflatedPNGDecoder?
  /// Whether libpng read no pixel of the last picture.
  private(set) var wasAccelerated = false

  /// - Parameter isAccelerated: whether libpng gets only the pixels that an own decoder declines.
  init(isAccelerated: Bool = true) {
    inflated = isAccelerated ? InflatedPNGDecoder() : nil
  }

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
    let streamed = Self.streamedBytes(probed, geometry, probe.storedSize, probe.layout, probe.depth)
    let inflated =
      probed.map { inflatedByteCount(for: $0, geometry, plan) ?? 0 } ?? InflatedPNGDecoder.largestByteCount * 2
    return Int(min(streamed + Double(max(inflated, self.inflated?.keptBytes ?? 0)), 1e15))
  }

  /// The most memory that a decode by libpng takes.
  private static func streamedBytes(
    _ container: PNGContainer?, _ geometry: BoxGeometry, _ size: PixelSize, _ layout: PixelLayout, _ depth: SampleDepth
  ) -> Double {
    let pixel = layout.channels * depth.bytes
    let plane = geometry.planeSize
    let planeBytes = Double((plane.width * pixel + 63) & ~63) * Double(plane.height)
    let rowBytes = Double(size.width * pixel)
    // libpng keeps two rows in 64 bits a pixel, zlib its window, and code takes pages when it first runs.
    let library = 2 * 8 * Double(size.width) + 1_000_000
    let rows = Double(Self.batchBytes) + rowBytes + 8 * rowBytes
    // zlib packs 1,032 bytes into one at most; the profile is held twice.
    let profile = min(Double(container?.profileByteCount ?? 0) * 1032, Double(4 << 20)) * 2
    return planeBytes + library + rows + profile
  }

  /// The bytes that a picture takes beside those if it is inflated at once; nil where it is not.
  private func inflatedByteCount(for container: PNGContainer, _ geometry: BoxGeometry, _ plan: DecodePlan) -> Int? {
    guard inflated != nil else { return nil }
    let streamed = Self.streamedBytes(container, geometry, container.size, container.layout, container.depth)
    return InflatedPNGDecoder.byteCount(for: container, geometry, streamed: streamed, limits: plan.limits)
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    wasAccelerated = false
    return try bytes.withUnsafeBytes { buffer in
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
      wasAccelerated = try readInflated(buffer, container, reader, geometry, plan, into: &image, checkpoint: checkpoint)
      if wasAccelerated {
        if reader.hasOverlookedFlaws { flags.insert(.tolerated) }
        return DecodedImage(image, flags: flags)
      }
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

  /// Decodes the pixels without libpng, which has read the headers. False where that is to do it.
  private func readInflated(
    _ file: UnsafeRawBufferPointer, _ container: PNGContainer, _ reader: PNGReader, _ geometry: BoxGeometry,
    _ plan: DecodePlan, into image: inout PixelImage, checkpoint: DecodeCheckpoint
  ) throws -> Bool {
    guard let inflated else { return false }
    // Wrong checksums of the headers are known by now.
    if try reader.damage() == nil, image.layout == container.layout, image.depth == container.depth,
      inflatedByteCount(for: container, geometry, plan) != nil
    {
      do {
        try inflated.decode(file, container, geometry, limits: plan.limits, into: &image, checkpoint: checkpoint)
        return true
      } catch is DecoderDeclined {}
    }
    inflated.release()
    return false
  }

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
  var pixelBytes: Int { layout.channels * depth.bytes }
}
