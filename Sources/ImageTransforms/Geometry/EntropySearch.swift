import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Finds the part of a picture that shows most: the window whose luma histogram has the highest Shannon entropy.
///
/// It looks at a small copy, at every place of the window there. Of equals the one nearest to the middle is taken, then the
/// one further left or up, so that the same picture always gives the same part.
struct EntropySearch {
  /// The longer side of the copy: enough to tell parts apart, and a few hundred microseconds' work.
  private static let side = 96
  /// Levels of luma, of 4 each: so few pixels do not fill finer ones.
  private static let levels = 64

  private let luma: [UInt8]
  private let size: PixelSize

  init(_ image: PixelImage, converter: any PixelConverter, checkpoint: DecodeCheckpoint) throws {
    let scale = min(Double(Self.side) / Double(max(image.size.width, image.size.height)), 1)
    let small = PixelSize(
      width: max(Int((Double(image.size.width) * scale).rounded()), 1),
      height: max(Int((Double(image.size.height) * scale).rounded()), 1))
    let copy = try Resampler(kernel: .linear).resample(image, to: small, checkpoint: checkpoint)
    let gray = try converter.convert(
      copy, to: PixelForm(layouts: [.gray], depths: [.eight], isLiteral: true, alpha: [.opaque]), background: .white)
    var luma: [UInt8] = []
    luma.reserveCapacity(small.width * small.height)
    gray.withSamples(UInt8.self, ofPlane: 0) { samples in
      for y in 0..<small.height { luma += UnsafeBufferPointer(start: samples.row(y), count: small.width) }
    }
    self.luma = luma
    size = small
  }

  /// Where the best part of size `kept` begins in the picture of size `whole` that was searched.
  func offset(of kept: PixelSize, in whole: PixelSize) -> (left: Int, top: Int) {
    func scaled(_ length: Int, _ whole: Int, _ small: Int) -> Int {
      min(max(Int((Double(length) * Double(small) / Double(whole)).rounded()), 1), small)
    }
    let window = PixelSize(
      width: scaled(kept.width, whole.width, size.width), height: scaled(kept.height, whole.height, size.height))
    let spare = PixelSize(width: size.width - window.width, height: size.height - window.height)
    var best = (entropy: -1.0, distance: Int.max, left: 0, top: 0)
    for top in 0...spare.height {
      var histogram = [Int](repeating: 0, count: Self.levels)
      for x in 0..<window.width { count(column: x, rows: top..<top + window.height, in: &histogram, by: 1) }
      for left in 0...spare.width {
        if left > 0 {
          count(column: left - 1, rows: top..<top + window.height, in: &histogram, by: -1)
          count(column: left + window.width - 1, rows: top..<top + window.height, in: &histogram, by: 1)
        }
        let entropy = Self.entropy(of: histogram, total: window.width * window.height)
        let distance = abs(2 * left - spare.width) + abs(2 * top - spare.height)
        if entropy > best.entropy + 1e-9 || (entropy > best.entropy - 1e-9 && distance < best.distance) {
          best = (max(entropy, best.entropy), distance, left, top)
        }
      }
    }
    func place(_ position: Int, _ spare: Int, _ spareWhole: Int) -> Int {
      spare == 0 ? spareWhole / 2 : Int((Double(position) * Double(spareWhole) / Double(spare)).rounded())
    }
    return (
      place(best.left, spare.width, whole.width - kept.width), place(best.top, spare.height, whole.height - kept.height)
    )
  }

  private func count(column: Int, rows: Range<Int>, in histogram: inout [Int], by step: Int) {
    for y in rows { histogram[Int(luma[y * size.width + column]) * Self.levels / 256] += step }
  }

  private static func entropy(of histogram: [Int], total: Int) -> Double {
    histogram.reduce(0) { sum, count in
      guard count > 0 else { return sum }
      let share = Double(count) / Double(total)
      return sum - share * log2(share)
    }
  }
}
