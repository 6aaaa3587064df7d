import FetchPipeline

/// The weights that were used last: pictures of one size come in crowds.
///
/// Shared by all threads; the lock is held for a look-up, never while weights are made.
enum AxisWeightsCache {
  private struct Key: Hashable {
    var mapping: AxisMapping
    var kernel: ResampleKernel
  }

  private struct Entry {
    var weights: AxisWeights
    var lastUse: Int
  }

  private struct Entries {
    var byKey: [Key: Entry] = [:]
    var uses = 0
  }

  private static let capacity = 64
  /// Longer lists of weights are made where they are used, so that the cache stays below some 10 MB.
  private static let mostTaps = 32_768

  private static let entries = Lock(Entries())

  static func weights(for mapping: AxisMapping, kernel: ResampleKernel) -> AxisWeights {
    let key = Key(mapping: mapping, kernel: kernel)
    let known = entries.withLock { entries -> AxisWeights? in
      entries.uses += 1
      entries.byKey[key]?.lastUse = entries.uses
      return entries.byKey[key]?.weights
    }
    if let known { return known }
    let made = AxisWeights(mapping, kernel: kernel)
    guard made.count * made.taps <= mostTaps else { return made }
    entries.withLock { entries in
      if entries.byKey.count >= capacity, let oldest = entries.byKey.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        entries.byKey[oldest.key] = nil
      }
      entries.byKey[key] = Entry(weights: made, lastUse: entries.uses)
    }
    return made
  }
}
