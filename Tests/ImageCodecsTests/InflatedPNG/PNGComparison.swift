import FetchPipeline
import Testing

@testable import ImageCodecs

/// The same file decoded with the own decoder in front of libpng, and by libpng alone.
final class PNGComparison {
  private let accelerated = PNGDecoderSession()
  private let plain = PNGDecoderSession(isAccelerated: false)

  /// All that is to be seen of a decode.
  enum Outcome: Equatable {
    case decoded(
      pixels: [UInt8], planes: [PixelPlane], layout: PixelLayout, depth: SampleDepth, alpha: AlphaState,
      profile: ColorProfile, flags: Set<ResultFlag>, damage: PipelineError.Code?)
    case failed(PipelineError.Code, String)
  }

  /// Whether libpng read no pixel of the last file.
  private(set) var wasAccelerated = false

  /// The outcome of libpng, which has to be the other one's too.
  @discardableResult
  func expectSame(
    _ file: [UInt8], _ plan: DecodePlan = DecodePlan(), isAccelerated: Bool? = nil, _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let own = try outcome(of: accelerated, file, plan)
    // Of a file that was not even probed the session says nothing.
    if case .decoded = own { wasAccelerated = accelerated.wasAccelerated } else { wasAccelerated = false }
    let expected = try outcome(of: plain, file, plan)
    // Not to print whole pictures.
    #expect((own == expected) == true, comment, sourceLocation: location)
    if own != expected { Issue.record("\(own.summary) where libpng has \(expected.summary)", sourceLocation: location) }
    if let isAccelerated { #expect(wasAccelerated == isAccelerated, comment, sourceLocation: location) }
    #expect(!plain.wasAccelerated)
    return expected
  }

  private func outcome(of session: PNGDecoderSession, _ file: [UInt8], _ plan: DecodePlan) throws -> Outcome {
    let bytes = SharedBytes(file)
    do {
      let probe = try session.probe(bytes, limits: plan.limits)
      _ = session.peakBytes(of: probe, plan: plan)
      let decoded = try session.decode(bytes, probe: probe, plan: plan, checkpoint: .relaxed)
      let image = decoded.image
      return .decoded(
        pixels: image.rows(), planes: image.planes, layout: image.layout, depth: image.depth, alpha: image.alpha,
        profile: image.profile, flags: decoded.flags, damage: decoded.damage?.code)
    } catch let error as PipelineError {
      return .failed(error.code, error.message)
    }
  }
}

extension PNGComparison.Outcome {
  /// Without the pixels.
  var summary: String {
    switch self {
    case .decoded(let pixels, let planes, let layout, _, let alpha, _, let flags, let damage):
      "\(pixels.count) bytes \(planes.map(\.size)) \(layout) \(alpha) \(flags) \(damage.map { "\($0)" } ?? "whole")"
    case .failed(let code, let message): "\(code): \(message)"
    }
  }
}

extension PixelImage {
  /// The bytes of the first plane's samples, without padding.
  fileprivate func rows() -> [UInt8] {
    let plane = planes[0]
    let count = plane.size.width * plane.channels * depth.bytes
    return withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<plane.size.height).flatMap { row in bytes[(row * plane.bytesPerRow)..<(row * plane.bytesPerRow + count)] }
    }
  }
}
