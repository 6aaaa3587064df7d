/// Which scans of a progressive JPEG a scaled decode needs.
///
/// An inverse transform to n of 8 samples a side uses the n×n lowest frequencies; scans of others alone change nothing. Beside
/// these, the last bit of AC coefficients is left out, which takes about as long to read as all before it: half a step of the
/// quantiser disappears when the picture is made smaller still (0.05 dB of luma in thumbnails of photographs; the work of
/// the decoder is less than half).
struct ScanSelection {
  /// The places of the scans that are read.
  private(set) var kept: [Int] = []

  /// - Parameters:
  ///   - scans: all scans, in the order of the file.
  ///   - blockSides: the samples that a block's side comes out as, by component.
  init(_ scans: [ProgressiveScan], blockSides: [Int]) {
    var missing = blockSides.map { _ in Set<Int>() }
    for (index, scan) in scans.enumerated() {
      guard scan.spectrum.lowerBound > 0, index > 0, let component = scan.components.first,
        blockSides.indices.contains(component),
        !Self.isNeeded(scan, side: blockSides[component], missing: missing[component])
      else {
        kept.append(index)
        continue
      }
      missing[component].formUnion(scan.spectrum)
    }
  }

  private static func isNeeded(_ scan: ProgressiveScan, side: Int, missing: Set<Int>) -> Bool {
    guard let last = lastIndex[side], scan.spectrum.lowerBound <= last else { return lastIndex[side] == nil }
    // Bits can only be added to what is there.
    return !scan.isRefinement || (scan.low > 0 && missing.isDisjoint(with: scan.spectrum))
  }

  /// The last coefficient in zigzag order that a transform to so many samples a side uses; all of them where there is none.
  private static let lastIndex = [1: 0, 2: 4, 4: 24]
}
