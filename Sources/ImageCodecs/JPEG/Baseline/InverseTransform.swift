/// The inverse DCT (T.81, A.3.3) of the low corner of a block, in integers, to as many samples.
///
/// `block` has the coefficients, multiplied by their quantisers, in rows of the side. Sums have 64 bits: inputs of 32 bits
/// grow by at most 4 (side 4) or 8 (side 8) and 13 bits of the factors in each pass, so that nothing overflows; operators
/// wrap all the same, for there is nothing to trap.
enum InverseTransform {
  /// The sample of a value in eighths.
  @inline(__always)
  static func sample(eighths value: Int) -> UInt8 {
    clamped(128 &+ (value &+ 4) &>> 3)
  }

  @inline(__always)
  private static func clamped(_ value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(value, 255)))
  }

  /// A block of one value.
  @inline(__always)
  static func fill(_ value: Int32, side: Int, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int) {
    let level = sample(eighths: Int(value))
    switch side {
    case 1: output[0] = level
    case 2:
      let pair = UInt16(level) &* 0x0101
      store(pair, output)
      store(pair, output + stride)
    case 4:
      let four = UInt32(level) &* 0x0101_0101
      for row in 0..<4 { store(four, output + row &* stride) }
    default:
      let eight = UInt64(level) &* 0x0101_0101_0101_0101
      for row in 0..<8 { store(eight, output + row &* stride) }
    }
  }

  @inline(__always)
  private static func store<Samples: FixedWidthInteger>(_ samples: Samples, _ output: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(output).storeBytes(of: samples, as: Samples.self)
  }

  /// 2×2: all factors are 1.
  @inline(__always)
  static func write2(
    _ block: UnsafeMutablePointer<Int32>, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    let (top, topDifference) = (Int(block[0]) &+ Int(block[1]), Int(block[0]) &- Int(block[1]))
    let (low, lowDifference) = (Int(block[2]) &+ Int(block[3]), Int(block[2]) &- Int(block[3]))
    output[0] = sample(eighths: top &+ low)
    output[1] = sample(eighths: topDifference &+ lowDifference)
    output[stride] = sample(eighths: top &- low)
    output[stride &+ 1] = sample(eighths: topDifference &- lowDifference)
  }

  /// 4×4. Factors are √2·cos(nπ/8) of 13 bits; nothing is rounded before the end.
  @inline(__always)
  static func write4(
    _ block: UnsafeMutablePointer<Int32>, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 16) { buffer in
      guard let columns = buffer.baseAddress else { return }
      for column in 0..<4 {
        let values = four(
          Int(block[column]), Int(block[column &+ 4]), Int(block[column &+ 8]), Int(block[column &+ 12]))
        columns[column] = values.0
        columns[column &+ 4] = values.1
        columns[column &+ 8] = values.2
        columns[column &+ 12] = values.3
      }
      for row in 0..<4 {
        let line = columns + row &* 4
        let values = four(line[0], line[1], line[2], line[3])
        let target = output + row &* stride
        target[0] = sample26(values.0)
        target[1] = sample26(values.1)
        target[2] = sample26(values.2)
        target[3] = sample26(values.3)
      }
    }
  }

  /// The sample of a value in eighths of 2²⁶.
  @inline(__always)
  private static func sample26(_ value: Int) -> UInt8 {
    clamped(128 &+ (value &+ 1 &<< 28) &>> 29)
  }

  @inline(__always)
  private static func four(_ x0: Int, _ x1: Int, _ x2: Int, _ x3: Int) -> (Int, Int, Int, Int) {
    let (even, evenDifference) = ((x0 &+ x2) &<< 13, (x0 &- x2) &<< 13)
    let outer = x1 &* 10_703 &+ x3 &* 4_433
    let inner = x1 &* 4_433 &- x3 &* 10_703
    return (even &+ outer, evenDifference &+ inner, evenDifference &- inner, even &- outer)
  }
}
