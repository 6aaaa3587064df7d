/// An exact positive fraction of sides, none of which is above `Ratio.most`, so that no product overflows.
struct Ratio: Comparable {
  /// The longest side that is reckoned with, which is also the longest that a plane can have.
  static let most = Int(Int32.max)

  let numerator: Int
  let denominator: Int

  static let one = Ratio(numerator: 1, denominator: 1)

  static func < (left: Ratio, right: Ratio) -> Bool {
    left.numerator * right.denominator < right.numerator * left.denominator
  }

  static func == (left: Ratio, right: Ratio) -> Bool {
    left.numerator * right.denominator == right.numerator * left.denominator
  }

  /// `side` times the ratio, rounded half up, at least 1; nil above `most`.
  func scaling(_ side: Int) -> Int? {
    let (quotient, remainder) = (side * numerator).quotientAndRemainder(dividingBy: denominator)
    let rounded = max(remainder * 2 >= denominator ? quotient + 1 : quotient, 1)
    return rounded <= Self.most ? rounded : nil
  }
}
