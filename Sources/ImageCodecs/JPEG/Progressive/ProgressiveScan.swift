/// A scan of a progressive JPEG (ITU-T T.81, annex G): some bits of some coefficients of some components.
struct ProgressiveScan: Equatable {
  /// Where its header and its data lie in the file, from the SOS marker to the marker behind it.
  var range: Range<Int>
  /// The places of its components in the frame.
  var components: [Int]
  /// The coefficients, in zigzag order: 0 alone, or some of 1…63.
  var spectrum: ClosedRange<Int>
  /// The bit that earlier scans went down to; 0 for a first scan.
  var high: Int
  /// The bit down to which it goes.
  var low: Int

  /// Whether it adds a bit to coefficients that are there.
  var isRefinement: Bool { high > 0 }
}
