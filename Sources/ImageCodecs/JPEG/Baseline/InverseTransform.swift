/// The inverse DCT (T.81, A.3.3) of the low corner of a block, in integers, to as many samples.
///
/// `block` has the coefficients, multiplied by their quantisers, in rows of the side. In each pass, inputs grow by a factor of
/// 4 (side 4) or 12 (side 8) at most, and by 13 bits of the factors: 64 bits hold all that 32 bits of input can become, and
/// operators that wrap never do.
enum InverseTransform {
  /// Writes the samples of a block, and makes zeros of it.
  ///
  /// - Parameter end: the index in zigzag order behind the last coefficient that is not zero; at least 1.
  static func write(
    _ block: UnsafeMutablePointer<Int32>, end: Int, side: Int, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    if end == 1 { return fill(block[0], side: side, output, stride) }
    switch side {
    case 1: fill(block[0], side: 1, output, stride)
    case 2:
      write2(block, output, stride)
      block.update(repeating: 0, count: 4)
    case 4:
      write4(block, end: end, output, stride)
      block.update(repeating: 0, count: 16)
    default:
      write8(block, end: end, output, stride)
      block.update(repeating: 0, count: 64)
    }
  }

  /// The sample of a value in eighths.
  @inline(__always)
  static func sample(eighths value: Int) -> UInt8 {
    clamped(128 &+ (value &+ 4) &>> 3)
  }

  @inline(__always)
  static func clamped(_ value: Int) -> UInt8 {
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
  static func store<Samples: FixedWidthInteger>(_ samples: Samples, _ output: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(output).storeBytes(of: samples, as: Samples.self)
  }

  /// 2×2: all factors are 1.
  @inline(__always)
  static func write2(
    _ block: UnsafeMutablePointer<Int32>, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    // In eighths, with the middle level and a half added.
    let first = Int(block[0]) &+ (128 &<< 3 &+ 4)
    let (top, topDifference) = (first &+ Int(block[1]), first &- Int(block[1]))
    let (low, lowDifference) = (Int(block[2]) &+ Int(block[3]), Int(block[2]) &- Int(block[3]))
    let (a, b) = ((top &+ low) &>> 3, (topDifference &+ lowDifference) &>> 3)
    let (c, d) = ((top &- low) &>> 3, (topDifference &- lowDifference) &>> 3)
    if (a | b | c | d) & ~255 == 0 {
      store(UInt16(truncatingIfNeeded: a | b &<< 8).littleEndian, output)
      store(UInt16(truncatingIfNeeded: c | d &<< 8).littleEndian, output + stride)
    } else {
      output[0] = clamped(a)
      output[1] = clamped(b)
      output[stride] = clamped(c)
      output[stride &+ 1] = clamped(d)
    }
  }

  /// 4×4. Factors are √2·cos(nπ/8) of 13 bits; nothing is rounded before the end.
  ///
  /// - Parameter end: the index behind the last coefficient that is not zero.
  @inline(__always)
  static func write4(
    _ block: UnsafeMutablePointer<Int32>, end: Int, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    if end <= 3 {
      // Of the first three coefficients the waves run straight across or straight down.
      let down = four(Int(block[0]), Int(block[4]), 0, 0)
      let across = Int(block[1]) &<< 13
      writeLine(down.0, across, 0, 0, output)
      writeLine(down.1, across, 0, 0, output + stride)
      writeLine(down.2, across, 0, 0, output + stride &* 2)
      return writeLine(down.3, across, 0, 0, output + stride &* 3)
    }
    let top = four(Int(block[0]), Int(block[4]), Int(block[8]), Int(block[12]))
    let second = four(Int(block[1]), Int(block[5]), Int(block[9]), Int(block[13]))
    let third = four(Int(block[2]), Int(block[6]), Int(block[10]), Int(block[14]))
    let fourth = four(Int(block[3]), Int(block[7]), Int(block[11]), Int(block[15]))
    writeLine(top.0, second.0, third.0, fourth.0, output)
    writeLine(top.1, second.1, third.1, fourth.1, output + stride)
    writeLine(top.2, second.2, third.2, fourth.2, output + stride &* 2)
    writeLine(top.3, second.3, third.3, fourth.3, output + stride &* 3)
  }

  /// The second pass: values in eighths of 2²⁶, with 128 added and rounded.
  @inline(__always)
  private static func writeLine(
    _ x0: Int, _ x1: Int, _ x2: Int, _ x3: Int, _ output: UnsafeMutablePointer<UInt8>
  ) {
    let values = four(x0 &+ (128 &<< 16 &+ 1 &<< 15), x1, x2, x3)
    let (a, b, c, d) = (values.0 &>> 29, values.1 &>> 29, values.2 &>> 29, values.3 &>> 29)
    if (a | b | c | d) & ~255 == 0 {
      store(UInt32(truncatingIfNeeded: a | b &<< 8 | c &<< 16 | d &<< 24).littleEndian, output)
    } else {
      output[0] = clamped(a)
      output[1] = clamped(b)
      output[2] = clamped(c)
      output[3] = clamped(d)
    }
  }

  @inline(__always)
  private static func four(_ x0: Int, _ x1: Int, _ x2: Int, _ x3: Int) -> (Int, Int, Int, Int) {
    let (even, evenDifference) = ((x0 &+ x2) &<< 13, (x0 &- x2) &<< 13)
    let turn = (x1 &+ x3) &* 4_433
    let (outer, inner) = (turn &+ x1 &* 6_270, turn &- x3 &* 15_136)
    return (even &+ outer, evenDifference &+ inner, evenDifference &- inner, even &- outer)
  }
}
