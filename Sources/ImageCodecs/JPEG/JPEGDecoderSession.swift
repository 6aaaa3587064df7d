import CImageCodecs
import FetchPipeline

/// Decodes JPEGs on one thread, one after the other.
final class JPEGDecoderSession: ImageDecoderSession {
  private var decompressor: JPEGDecompressor?
  private let isAccelerated: Bool
  private let baseline = BaselineDecoder()
  /// Whether the last picture came out without libjpeg's decoder.
  private(set) var wasAccelerated = false
  /// How many scans of the last picture were left out.
  private(set) var scansLeftOut = 0
  private var probed: Probed?

  /// - Parameter isAccelerated: whether libjpeg gets only what an own decoder declines, and what a scale needs.
  init(isAccelerated: Bool = true) {
    self.isAccelerated = isAccelerated
  }

  /// What a probe does not say and `peakBytes` needs to know, of the picture that was probed last.
  private struct Probed {
    let storedSize: PixelSize
    /// The bytes of all planes at each scale, in eighths.
    let planeBytes: [Int: Int]
    /// The bytes of all coefficients, where they are kept.
    let coefficientBytes: Int
    let profileBytes: Int
  }

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let decompressor = try opened()
    return try decompressor.open(bytes) { header in
      let size = PixelSize(width: Int(header.width), height: Int(header.height))
      try limits.check(size)
      var planeBytes: [Int: Int] = [:]
      for eighths in JPEGGeometry.scales {
        planeBytes[eighths] = try JPEGGeometry(header, decompressor.scaled(eighths), eighths: eighths).byteCount
      }
      probed = Probed(
        storedSize: size, planeBytes: planeBytes, coefficientBytes: header.coefficient_bytes,
        profileBytes: decompressor.profileParts.reduce(0) { $0 + $1.count })
      return ImageProbe(
        format: .jpeg, storedSize: size, orientation: decompressor.exif.flatMap(EXIF.orientation) ?? .up,
        layout: try JPEGGeometry.layout(of: header))
    }
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    // The library's state, tables and blocks in work.
    let fixed = 300_000.0
    let width = Double(probe.storedSize.width)
    guard let probed, probed.storedSize == probe.storedSize else {
      // The most for four components: samples at full size and coefficients.
      return Int(min((width + 72) * Double(probe.storedSize.height + 8) * 12 + fixed, 1e15))
    }
    // Where samples are not taken as they are, rows of blocks wait for their conversion, upsampled and not.
    let eighths = JPEGGeometry.eighths(for: plan.scale)
    let strips = probe.layout == .rgb || probe.layout == .cmyk ? (width * Double(eighths) / 8 + 64) * 4 * 64 : 0
    // The library keeps a pointer for each row of blocks; the profile is put together in a copy, of which one is made.
    let coefficients = Double(probed.coefficientBytes) * 1.01
    let total =
      Double(probed.planeBytes[eighths] ?? 0) + strips + coefficients + Double(probed.profileBytes) * 2 + fixed
    return Int(min(total, 1e15))
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    var readable = bytes
    var damage: PipelineError?
    var leavesOut = isAccelerated
    // Where the library gives up for something behind the headers, what it has read is lost: it reads again as far as
    // that. Each time there is less.
    for _ in 0..<Self.mostAttempts {
      do {
        var decoded = try decodeOnce(
          readable, leavingOutScans: leavesOut, probe: probe, plan: plan, checkpoint: checkpoint)
        if let damage {
          decoded.damage = damage
          decoded.flags.remove(.tolerated)
        }
        return decoded
      } catch is IrregularScans {
        leavesOut = false
      } catch let failure as JPEGDecompressor.ScanFailure {
        let isDamage = failure.error.code == .corrupt || failure.error.code == .truncated
        guard plan.onDamage == .salvage, isDamage else { throw failure.error }
        damage = damage ?? failure.error
        readable = readable.prefix(readable.beginningOfMarker(before: failure.offset))
      }
    }
    throw damage ?? PipelineError(.decode, .corrupt, "the JPEG is damaged")
  }

  /// How often a damaged picture is begun anew.
  private static let mostAttempts = 5

  /// Something is wrong with a picture of which not all scans were read: what, only the whole tells.
  private struct IrregularScans: Error {}

  private func decodeOnce(
    _ bytes: SharedBytes, leavingOutScans leavesOut: Bool, probe: ImageProbe, plan: DecodePlan,
    checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    (wasAccelerated, scansLeftOut) = (false, 0)
    let decompressor = try opened()
    return try decompressor.open(bytes) { header in
      try plan.limits.check(PixelSize(width: Int(header.width), height: Int(header.height)))
      let eighths = JPEGGeometry.eighths(for: plan.scale)
      let scaled = try decompressor.scaled(eighths)
      let geometry = try JPEGGeometry(header, scaled, eighths: eighths)
      let profile = JPEGColorProfile.content(of: decompressor)
      var image = try geometry.makeImage(for: probe)
      let scanLimit = Int32(clamping: plan.limits.scans)
      if leavesOut, eighths < 8, header.coefficient_bytes > 0 {
        scansLeftOut = try leaveOutScans(of: bytes, header, scaled, limit: plan.limits.scans)
      }
      do {
        switch geometry.layout {
        case .yCbCr, .gray:
          let isServed = try readBaseline(bytes, header, scaled, into: &image, plan: plan, checkpoint: checkpoint)
          if !isServed {
            try decompressor.readPlanes(into: &image, scanLimit: scanLimit, checkpoint: checkpoint)
          }
        default:
          try decompressor.readPixels(into: &image, scanLimit: scanLimit, checkpoint: checkpoint)
        }
      } catch is JPEGDecompressor.ScanFailure where scansLeftOut > 0 {
        throw IrregularScans()
      }
      let notes = decompressor.notes
      guard scansLeftOut == 0 || notes.isClean else { throw IrregularScans() }
      let damage = notes.damage
      if let damage, plan.onDamage == .reject || image.isBlank { throw damage }
      var flags: Set<ResultFlag> = notes.hasHarmlessFlaws ? [.tolerated] : []
      switch profile {
      case .none: break
      case .whole(let bytes): image.profile = .icc(bytes)
      case .broken: flags.insert(.iccInvalid)
      }
      if image.layout == .cmyk {
        flags.insert(.cmyk)
        // Adobe's programs store the absence of ink, and so do all others by now: browsers do not look for the marker.
        try image.invertSamples()
      }
      return DecodedImage(image, flags: flags, damage: damage)
    }
  }

  /// Decodes planes without libjpeg. False where that is to do it.
  private func readBaseline(
    _ bytes: SharedBytes, _ header: fp_jpeg_header, _ scaled: fp_jpeg_scaled, into image: inout PixelImage,
    plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> Bool {
    guard isAccelerated, BaselineDecoder.scales.contains(JPEGGeometry.eighths(for: plan.scale)),
      plan.limits.scans >= 1, header.coefficient_bytes == 0
    else { return false }
    do {
      try bytes.withUnsafeBytes { file in
        try baseline.decode(
          file, size: PixelSize(width: Int(header.width), height: Int(header.height)),
          planes: BaselineDecoder.planes(header, scaled), into: &image, checkpoint: checkpoint)
      }
      wasAccelerated = true
      return true
    } catch is DecoderDeclined {
      return false
    }
  }

  /// Has scans left out of which nothing is to be seen at the scale, and says how many.
  private func leaveOutScans(
    of bytes: SharedBytes, _ header: fp_jpeg_header, _ scaled: fp_jpeg_scaled, limit: Int
  ) throws -> Int {
    guard let file = try? bytes.withUnsafeBytes({ try ProgressiveFile($0, scanLimit: limit) }) else { return 0 }
    guard file.scans.count <= limit else {
      throw PipelineError(.decode, .tooManyScans, "the JPEG has more scans than are read (limits.scans)")
    }
    guard let quantizers = file.quantizersOfComponents, quantizers.count == Int(header.components) else { return 0 }
    let sides = JPEGGeometry.array(scaled.block_side)
    let selection = ScanSelection(
      file.scans, components: zip(sides, quantizers).map { ScanSelection.Component(blockSide: $0, quantizer: $1) })
    let leftOut = file.scans.count - selection.kept.count
    return leftOut > 0 && decompressor?.choose(file.parts(keeping: selection.kept)) == true ? leftOut : 0
  }

  private func opened() throws -> JPEGDecompressor {
    if let decompressor { return decompressor }
    let made = try JPEGDecompressor()
    decompressor = made
    return made
  }
}

extension SharedBytes {
  /// Where the last marker begins that lies before `offset`.
  fileprivate func beginningOfMarker(before offset: Int) -> Int {
    withUnsafeBytes { bytes in bytes.prefix(Swift.min(offset, bytes.count)).lastIndex(of: 0xff) ?? 0 }
  }
}

extension PixelImage {
  /// Whether every sample is what the library makes of blocks that have not come.
  fileprivate var isBlank: Bool {
    planes.indices.allSatisfy { index in
      withUnsafeBytes(ofPlane: index) { bytes in
        let plane = planes[index]
        return (0..<plane.size.height).allSatisfy { row in
          bytes[(row * plane.bytesPerRow)..<(row * plane.bytesPerRow + plane.size.width * plane.channels)]
            .allSatisfy { $0 == 128 }
        }
      }
    }
  }
}
