import CImageKernels
import FetchPipeline

/// Weighs one plane of a picture into another: in integers where that is exact enough, else in floats.
struct PlanePass {
  let columns: AxisWeights
  let lines: AxisWeights

  /// Writes one plane of a picture from the same plane of another of the same layout and depth.
  func fill(
    plane index: Int, of result: inout PixelImage, from image: PixelImage, checkpoint: DecodeCheckpoint?
  ) throws {
    let (plane, targetPlane) = (image.planes[index], result.planes[index])
    let alpha = AlphaHandling(of: image)
    try result.withUnsafeMutableBytes(ofPlane: index) { target in
      try image.withUnsafeBytes(ofPlane: index) { source in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        guard image.depth == .eight, alpha != .straight, !columns.fixed.isEmpty, !lines.fixed.isEmpty else {
          try FloatPass(
            source: source, sourceStride: plane.bytesPerRow, target: target, targetStride: targetPlane.bytesPerRow,
            depth: image.depth, channels: plane.channels, alpha: alpha, columns: columns, lines: lines
          ).run(checkpoint: checkpoint)
          return
        }
        try FixedPointPass(
          source: source.assumingMemoryBound(to: UInt8.self), sourceStride: plane.bytesPerRow,
          target: target.assumingMemoryBound(to: UInt8.self), targetStride: targetPlane.bytesPerRow,
          channels: plane.channels, limitsToAlpha: alpha == .premultiplied, columns: columns, lines: lines
        ).run(checkpoint: checkpoint)
      }
    }
  }

  /// What is done about the last channel.
  enum AlphaHandling {
    /// It is a channel like others.
    case none
    /// Colours are multiplied by it before and divided by it after.
    case straight
    /// Colours are multiplied by it already, and must not exceed it.
    case premultiplied

    init(of image: PixelImage) {
      self =
        switch image.alpha {
        case .straight where image.layout.hasAlpha: image.isOpaqueThroughout ? .none : .straight
        case .premultiplied where image.layout.hasAlpha: .premultiplied
        default: .none
        }
    }
  }
}

extension PixelImage {
  /// Whether alpha is there in name only, as in many files: then colours are filtered as they are, in integers. Only
  /// 8-bit samples are looked at, since the others are filtered in floats anyway.
  fileprivate var isOpaqueThroughout: Bool {
    guard depth == .eight else { return false }
    let plane = planes[0]
    return withUnsafeBytes(ofPlane: 0) { bytes in
      guard let base = bytes.baseAddress else { return false }
      for row in 0..<plane.size.height {
        let samples = (base + row * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        if kernels_is_opaque_u8(samples, Int32(plane.channels), plane.size.width) == 0 { return false }
      }
      return true
    }
  }
}
