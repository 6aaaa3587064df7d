import FetchPipeline
import Testing

extension ImageDecoder {
  /// Probes and decodes, as the engine does it.
  func decoded(_ file: [UInt8], plan: DecodePlan = DecodePlan()) throws -> DecodedImage {
    let bytes = SharedBytes(file)
    let session = makeSession()
    let probe = try session.probe(bytes, limits: plan.limits)
    return try session.decode(bytes, probe: probe, plan: plan, checkpoint: .relaxed)
  }

  /// The code of the error that a decode ends with.
  func failure(_ file: [UInt8], plan: DecodePlan = DecodePlan()) -> PipelineError.Code? {
    do {
      _ = try decoded(file, plan: plan)
      return nil
    } catch { return (error as? PipelineError)?.code }
  }
}

extension DecodePlan {
  /// A plan for which areas are averaged down to `scale`: they are worth three quarters of their number of samples.
  static func averaging(to scale: Double, region: PixelRect? = nil) -> DecodePlan {
    DecodePlan(scale: scale * 0.75, region: region)
  }
}

extension DecodeCheckpoint {
  /// One that stops nothing which ends at all.
  static var relaxed: DecodeCheckpoint { DecodeCheckpoint(cpuTime: .seconds(60)) }
}

extension PixelImage {
  /// The samples of a plane, row by row, without padding.
  func samples(ofPlane index: Int = 0) -> [Int] {
    let plane = planes[index]
    let count = plane.size.width * plane.channels
    return withUnsafeBytes(ofPlane: index) { bytes in
      (0..<plane.size.height).flatMap { row in
        (0..<count).map { at in
          let offset = row * plane.bytesPerRow + at * depth.bytes
          return depth == .eight
            ? Int(bytes[offset]) : Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        }
      }
    }
  }
}
