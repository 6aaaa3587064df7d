/// An even function, tabulated: weights are made anew for each pair of sizes, and sines would cost more than the resize.
struct KernelTable: Sendable {
  /// Entries to a unit of distance.
  static let density = 1024.0
  /// The values at 0, 1/density, …, and zeros from the radius on.
  let values: [Double]

  init(radius: Int, _ function: (Double) -> Double) {
    let end = radius * Int(Self.density)
    values = (0...end + 1).map { $0 >= end ? 0 : function(Double($0) / Self.density) }
  }

  /// The value at a distance, between two entries on the straight line: off by less than 2⁻¹⁹.
  @inline(__always)
  static func value(at distance: Double, in values: UnsafeBufferPointer<Double>) -> Double {
    let position = abs(distance) * density
    guard position < Double(values.count - 2) else { return 0 }
    let index = Int(position)
    return values[index] + (values[index + 1] - values[index]) * (position - Double(index))
  }
}
