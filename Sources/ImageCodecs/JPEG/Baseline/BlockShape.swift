/// What a block of 8×8 coefficients needs to come out as side×side samples.
///
/// The transform of a smaller side takes the low corner of as many coefficients: it draws the waves that so few samples can
/// show at their places, at full strength. (libjpeg's means of areas weaken them.)
struct BlockShape {
  /// 1, 2, 4 or 8.
  let side: Int
  /// The last coefficient in zigzag order that is needed.
  let last: Int
  /// Where each coefficient goes, in rows of `side`; to 64 what is not needed, beyond any shape's positions. A symbol may
  /// lead beyond the last one.
  private let positions: [Int32]

  /// The quantiser of a coefficient, and its position.
  struct Target {
    var step: Int32
    var position: Int32
  }

  /// The coefficients of a block, and what a symbol may lead beyond them.
  static let paddedCount = 64 + HuffmanTable.longestStep

  init?(side: Int) {
    guard [1, 2, 4, 8].contains(side) else { return nil }
    self.side = side
    let inside = Self.zigzag.indices.filter { Self.zigzag[$0].column < side && Self.zigzag[$0].row < side }
    last = inside.last ?? 0
    var positions = [Int32](repeating: 64, count: Self.paddedCount)
    for index in inside { positions[index] = Int32(Self.zigzag[index].row * side + Self.zigzag[index].column) }
    self.positions = positions
  }

  /// What becomes of coefficients in zigzag order, with these quantisers.
  func targets(_ quantizers: [Int32]) -> [Target] {
    positions.indices.map { index in
      Target(step: index < quantizers.count ? quantizers[index] : 0, position: positions[index])
    }
  }

  /// The order of coefficients (T.81, figure A.6): along the diagonals, up and down in turn.
  private static let zigzag: [(column: Int, row: Int)] = (0..<15).flatMap { diagonal in
    let places = (max(0, diagonal - 7)...min(diagonal, 7)).map { (column: $0, row: diagonal - $0) }
    return diagonal % 2 == 0 ? places : places.reversed()
  }
}
