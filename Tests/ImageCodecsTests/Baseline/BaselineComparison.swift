import FetchPipeline
import Testing

@testable import ImageCodecs

/// The same file decoded with the own decoder in front of libjpeg, and by libjpeg alone.
final class BaselineComparison {
  private let accelerated = JPEGDecoderSession()
  private let plain = JPEGDecoderSession(isAccelerated: false)

  enum Outcome: Equatable {
    case decoded(flags: Set<ResultFlag>, damage: PipelineError.Code?, planes: [[Int]], layout: [PixelPlane])
    case failed(PipelineError.Code)
  }

  /// Whether the last picture came from the own decoder.
  private(set) var wasAccelerated = false

  func decode(_ file: [UInt8], scale: Double, onDamage: DamagePolicy = .reject) throws -> DecodedImage {
    wasAccelerated = false
    let decoded = try decode(accelerated, file, DecodePlan(scale: scale, onDamage: onDamage))
    wasAccelerated = accelerated.wasAccelerated
    return decoded
  }

  func decodePlainly(_ file: [UInt8], scale: Double, onDamage: DamagePolicy = .reject) throws -> DecodedImage {
    try decode(plain, file, DecodePlan(scale: scale, onDamage: onDamage))
  }

  private func decode(_ session: JPEGDecoderSession, _ file: [UInt8], _ plan: DecodePlan) throws -> DecodedImage {
    let bytes = SharedBytes(file)
    var plan = plan
    plan.limits.pixels = 1_000_000
    plan.limits.scans = 50
    let probe = try session.probe(bytes, limits: plan.limits)
    return try session.decode(bytes, probe: probe, plan: plan, checkpoint: .relaxed)
  }

  /// How both decodes end. The first one was accelerated where `wasAccelerated` says so.
  func outcomes(_ file: [UInt8], scale: Double, onDamage: DamagePolicy = .reject) throws -> (Outcome, Outcome) {
    (
      try Self.outcome { try decode(file, scale: scale, onDamage: onDamage) },
      try Self.outcome { try decodePlainly(file, scale: scale, onDamage: onDamage) }
    )
  }

  private static func outcome(_ decode: () throws -> DecodedImage) throws -> Outcome {
    do {
      let decoded = try decode()
      let image = decoded.image
      return .decoded(
        flags: decoded.flags, damage: decoded.damage?.code,
        planes: image.planes.indices.map { image.samples(ofPlane: $0) }, layout: image.planes)
    } catch let error as PipelineError {
      return .failed(error.code)
    }
  }
}

/// The inverse DCT (T.81, A.3.3) of the low corner of a block in floating point.
enum ReferenceTransform {
  /// The samples of a block whose coefficients come in zigzag order, multiplied by their quantisers; not yet rounded.
  static func samples(_ zigzag: [Int], side: Int) -> [Double] {
    var corner: [(u: Int, v: Int, value: Double)] = []
    var (u, v) = (0, 0)
    for value in zigzag {
      if u < side, v < side, value != 0 { corner.append((u, v, Double(value))) }
      // Along the diagonals (figure A.6).
      if (u + v) % 2 == 0 {
        if u == 7 { v += 1 } else if v == 0 { u += 1 } else { (u, v) = (u + 1, v - 1) }
      } else {
        if v == 7 { u += 1 } else if u == 0 { v += 1 } else { (u, v) = (u - 1, v + 1) }
      }
    }
    return (0..<side * side).map { index in
      let (x, y) = (index % side, index / side)
      let sum = corner.reduce(0) { sum, term in
        sum + term.value * wave(term.u, x, side) * wave(term.v, y, side)
      }
      return min(max(sum / 8 + 128, 0), 255)
    }
  }

  private static func wave(_ frequency: Int, _ place: Int, _ side: Int) -> Double {
    let angle = Double(2 * place + 1) * Double(frequency) * .pi / Double(2 * side)
    return frequency == 0 ? 1 : 2.0.squareRoot() * cosine(angle)
  }

  /// By its series, to far below what matters here: no library is needed for it.
  private static func cosine(_ angle: Double) -> Double {
    let turn = angle.truncatingRemainder(dividingBy: 2 * .pi)
    let reduced = turn > .pi ? turn - 2 * .pi : turn
    var (term, sum) = (1.0, 1.0)
    for step in 1...20 {
      term *= -reduced * reduced / Double((2 * step - 1) * 2 * step)
      sum += term
    }
    return sum
  }
}
