/// Which scans of a progressive JPEG a scaled decode needs.
///
/// An inverse transform to n of 8 samples a side uses the n×n lowest frequencies; scans of others alone change nothing. Beside
/// these, the last bits of AC coefficients are left out where the quantiser makes little of them, since each takes about as
/// long to read as all before it: of what they add, next to nothing is left when the picture is made smaller still.
struct ScanSelection {
  /// The places of the scans that are read.
  private(set) var kept: [Int] = []

  /// A component, as it comes out.
  struct Component {
    /// The samples that a block's side comes out as.
    var blockSide: Int
    /// The quantisers of a block in zigzag order.
    var quantizer: [Int]

    /// The last coefficient in zigzag order that the transform uses; nil for all of them.
    var lastIndex: Int? { [1: 0, 2: 4, 4: 24][blockSide] }

    /// The lowest bit that is worth a scan: what those below it can add to a coefficient stays within `tolerance`.
    var lowestBit: Int {
      // Damaged files may have none at all: 0.
      let largest = max(quantizer.prefix((lastIndex ?? 63) + 1).dropFirst().max() ?? 1, 1)
      var bit = 0
      while largest << (bit + 1) <= ScanSelection.tolerance { bit += 1 }
      return bit
    }
  }

  /// How far off a coefficient may be: 8 are an amplitude of one to two levels of 255 (T.81, A.3.3), most of which the
  /// resize behind the decoder takes out. Thumbnails of photographs lose 0.03 dB of luma by it, for half of the work.
  static let tolerance = 24

  /// - Parameter scans: all scans, in the order of the file.
  init(_ scans: [ProgressiveScan], components: [Component]) {
    let needed = components.indices.map { Self.needed(of: components[$0], at: $0, in: scans) }
    for (index, scan) in scans.enumerated() {
      // The header of the first one has been read.
      guard index > 0, scan.spectrum.lowerBound > 0, let component = scan.components.first,
        components.indices.contains(component), let wanted = needed[component]
      else {
        kept.append(index)
        continue
      }
      if Self.counts(scan, components[component]), !wanted.isDisjoint(with: scan.spectrum) { kept.append(index) }
    }
  }

  /// The coefficients of a component without which those that count cannot be had; nil for all of them. Bits can only be
  /// added to what is there: where a scan is wanted for one of its coefficients, all others need their earlier scans too.
  private static func needed(
    of component: Component, at place: Int, in scans: [ProgressiveScan]
  ) -> Set<Int>? {
    guard let last = component.lastIndex else { return nil }
    var needed = Set(last > 0 ? Array(1...last) : [])
    var isComplete = false
    while !isComplete {
      isComplete = true
      for scan in scans where scan.components == [place] && counts(scan, component) {
        if needed.isDisjoint(with: scan.spectrum) || needed.isSuperset(of: scan.spectrum) { continue }
        needed.formUnion(scan.spectrum)
        isComplete = false
      }
    }
    return needed
  }

  /// Whether a scan goes no lower than the bits that are worth it.
  private static func counts(_ scan: ProgressiveScan, _ component: Component) -> Bool {
    scan.spectrum.lowerBound > 0 && (!scan.isRefinement || scan.low >= component.lowestBit)
  }
}
