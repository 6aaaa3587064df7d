/// What each sample of a target is made of, along one axis: a run of source samples with their weights.
///
/// Every run has the same, even number of taps; those that a target sample does not need weigh nothing.
final class AxisWeights: Sendable {
  /// The samples of the target.
  let count: Int
  /// The weights of each target sample.
  let taps: Int
  /// The first source sample of each target sample; never decreasing.
  let first: [Int32]
  /// One past the last source sample that weighs anything.
  let end: Int
  /// The weights as integers that add up to exactly 1 << `fractionBits`; empty where they would be too coarse.
  let fixed: [Int16]
  /// How often `fixed` halves 1.
  let fractionBits: Int
  /// The weights, for what is not worked on in integers.
  let float: [Float]

  /// Taps above which 15 bits are too coarse for so many small weights: Lanczos-3 at 32 source samples to one.
  private static let mostForIntegers = 194

  convenience init(_ mapping: AxisMapping, kernel: ResampleKernel) {
    self.init(
      mapping, table: kernel == .nearest ? nil : kernel.table, reach: kernel.radius * max(mapping.step, 1),
      unit: max(mapping.step, 1))
  }

  /// - Parameters:
  ///   - table: the filter; nil for the nearest sample.
  ///   - reach: the source samples on each side of the middle that may weigh anything.
  ///   - unit: the source samples to a unit of the table.
  init(_ mapping: AxisMapping, table: KernelTable?, reach: Double, unit: Double) {
    var runs = WeightRuns(mapping, table: table, reach: reach, unit: unit)
    runs.order()
    count = mapping.count
    taps = (runs.longest + 1) & ~1
    first = runs.first.map(Int32.init)
    end = runs.end
    float = runs.padded(to: taps) { weights, place in
      for tap in weights.indices { place[tap] = Float(weights[tap]) }
    }
    guard taps <= Self.mostForIntegers else {
      fixed = []
      fractionBits = 0
      return
    }
    let bits = runs.largest < 0.999 ? 15 : 14
    fractionBits = bits
    fixed = runs.padded(to: taps) { weights, place in
      // What rounding takes from one weight is given to the next, so that the sum is exact and flat stays flat.
      let scale = Double(1 << bits)
      var exact = 0.0
      var given = 0
      for tap in weights.indices {
        exact += weights[tap] * scale
        // Half up: truncation of what is made positive first.
        let rounded = Int(exact + 65536.5) - 65536
        place[tap] = Int16(truncatingIfNeeded: rounded - given)
        given = rounded
      }
    }
  }
}

/// The weights of all target samples before they are padded and rounded.
private struct WeightRuns {
  /// The first source sample of each run.
  private(set) var first: [Int]
  /// One past the last source sample of all runs.
  private(set) var end = 0
  /// The taps that the longest run needs.
  private(set) var longest = 1
  /// The largest weight by its amount.
  private(set) var largest = 0.0
  /// All runs, `capacity` apart.
  private var weights: [Double]
  private let capacity: Int
  /// Where a run begins behind the start of its place, and its length.
  private var extents: [(skip: Int, length: Int)]
  /// The taps without weight that `order` puts before each run.
  private var lead: [Int] = []

  /// What weighs less has no effect even on 16-bit samples.
  private static let least = 1.0 / Double(1 << 20)

  init(_ mapping: AxisMapping, table: KernelTable?, reach: Double, unit: Double) {
    capacity = table == nil ? 1 : Int(min(2 * reach + 2, Double(mapping.limit)))
    first = [Int](repeating: 0, count: mapping.count)
    extents = [(skip: Int, length: Int)](repeating: (0, 1), count: mapping.count)
    weights = [Double](repeating: 0, count: mapping.count * capacity)
    (table?.values ?? []).withUnsafeBufferPointer { values in
      weights.withUnsafeMutableBufferPointer { weights in
        for index in 0..<mapping.count {
          let place = UnsafeMutableBufferPointer(rebasing: weights[index * capacity..<(index + 1) * capacity])
          // A chroma sample that is mostly beyond the picture takes its colour from the picture's edge.
          let middle = mapping.start + (Double(index) + 0.5) * mapping.step
          let center = min(max(middle, mapping.lower), mapping.upper)
          if table != nil {
            (first[index], extents[index]) = Self.fill(
              place, at: center, reach: reach, scale: 1 / unit, mapping, values)
          }
          if table == nil || extents[index].length == 0 {
            first[index] = mapping.sample(at: center)
            extents[index] = (0, 1)
            place[0] = 1
          }
        }
      }
    }
    measure()
  }

  /// Fills in the weights of one target sample, which add up to 1. A length of 0 says that nothing is in reach.
  private static func fill(
    _ place: UnsafeMutableBufferPointer<Double>, at center: Double, reach: Double, scale: Double,
    _ mapping: AxisMapping, _ values: UnsafeBufferPointer<Double>
  ) -> (first: Int, extent: (skip: Int, length: Int)) {
    let low = Int(max((center - reach - 0.5).rounded(.up), mapping.lower.rounded(.down)))
    let high = Int(min((center + reach - 0.5).rounded(.down), mapping.upper.rounded(.up) - 1))
    let first = min(max(low, 0), mapping.limit - 1)
    let count = min(max(high, first), mapping.limit - 1) - first + 1
    let isInside = low == first && high == first + count - 1
    var sum = 0.0
    for sample in stride(from: low, through: high, by: 1) {
      var weight = KernelTable.value(at: (Double(sample) + 0.5 - center) * scale, in: values)
      // A sample that an edge of the picture cuts counts for as much as belongs to the picture.
      let coverage = min(Double(sample + 1), mapping.upper) - max(Double(sample), mapping.lower)
      if coverage < 1 { weight *= max(coverage, 0) }
      sum += weight
      if isInside {
        place[sample - first] = weight
      } else {
        place[min(max(sample - first, 0), count - 1)] += weight
      }
    }
    guard sum > least else { return (first, (0, 0)) }
    let factor = 1 / sum
    for tap in 0..<count { place[tap] *= factor }
    var start = 0
    var end = count
    while start < end - 1, abs(place[start]) <= least { start += 1 }
    while end > start + 1, abs(place[end - 1]) <= least { end -= 1 }
    return (first + start, (start, end - start))
  }

  private mutating func measure() {
    for index in first.indices {
      let (skip, length) = extents[index]
      end = max(end, first[index] + length)
      longest = max(longest, length)
      for tap in skip..<skip + length { largest = max(largest, abs(weights[index * capacity + tap])) }
    }
  }

  /// Lets no run start behind the next one, since rows are read once and in order.
  mutating func order() {
    lead = [Int](repeating: 0, count: first.count)
    var least = Int.max
    for index in first.indices.reversed() {
      lead[index] = max(first[index] - least, 0)
      least = min(least, first[index])
      first[index] = least
      longest = max(longest, lead[index] + extents[index].length)
    }
  }

  /// All runs, `taps` apart, each written by `write` to its place.
  func padded<Weight: Numeric>(
    to taps: Int, _ write: (UnsafeBufferPointer<Double>, UnsafeMutableBufferPointer<Weight>) -> Void
  ) -> [Weight] {
    [Weight](unsafeUninitializedCapacity: first.count * taps) { buffer, initialized in
      buffer.initialize(repeating: 0)
      weights.withUnsafeBufferPointer { weights in
        for index in first.indices {
          let (skip, length) = extents[index]
          let from = index * capacity + skip
          let to = index * taps + lead[index]
          write(
            UnsafeBufferPointer(rebasing: weights[from..<from + length]),
            UnsafeMutableBufferPointer(rebasing: buffer[to..<to + length]))
        }
      }
      initialized = first.count * taps
    }
  }
}

extension AxisMapping {
  /// The stored sample of the picture at a source coordinate.
  fileprivate func sample(at coordinate: Double) -> Int {
    let inside = min(max(coordinate.rounded(.down), lower.rounded(.down)), upper.rounded(.up) - 1)
    return Int(min(max(inside, 0), Double(limit - 1)))
  }
}
