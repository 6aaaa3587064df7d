extension InverseTransform {
  /// 8×8, by the factorisation of Loeffler, Ligtenberg and Moschytz (1989): a dozen multiplications a line, factors of 13 bits,
  /// two bits kept between the passes. It rounds where libjpeg's exact transform does, and gives the same samples.
  ///
  /// - Parameter end: the index behind the last coefficient that is not zero.
  @inline(__always)
  static func write8(
    _ block: UnsafeMutablePointer<Int32>, end: Int, _ output: UnsafeMutablePointer<UInt8>, _ stride: Int
  ) {
    // What is added before the bits behind are cut: a half of the last bit that stays, and in the end the middle level.
    let (half, middle) = (1 &<< 10, 128 &<< 18 &+ 1 &<< 17)
    // Where only the first diagonals have coefficients, the columns behind are zeros.
    let width = end <= 3 ? 2 : end <= 10 ? 4 : 8
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { buffer in
      guard let lines = buffer.baseAddress else { return }
      for column in 0..<width {
        let x = block + column
        let values =
          width == 8
          ? eight(
            Int(x[0]), Int(x[8]), Int(x[16]), Int(x[24]), Int(x[32]), Int(x[40]), Int(x[48]), Int(x[56]), half)
          : eight(Int(x[0]), Int(x[8]), Int(x[16]), Int(x[24]), 0, 0, 0, 0, half)
        let line = lines + column
        line[0] = values.0 &>> 11
        line[8] = values.1 &>> 11
        line[16] = values.2 &>> 11
        line[24] = values.3 &>> 11
        line[32] = values.4 &>> 11
        line[40] = values.5 &>> 11
        line[48] = values.6 &>> 11
        line[56] = values.7 &>> 11
      }
      for row in 0..<8 {
        let x = lines + row &* 8
        let values =
          width == 2
          ? eight(x[0], x[1], 0, 0, 0, 0, 0, 0, middle)
          : width == 4
            ? eight(x[0], x[1], x[2], x[3], 0, 0, 0, 0, middle)
            : eight(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], middle)
        writeLine(values, output + row &* stride)
      }
    }
  }

  @inline(__always)
  private static func writeLine(
    _ values: (Int, Int, Int, Int, Int, Int, Int, Int), _ output: UnsafeMutablePointer<UInt8>
  ) {
    let (a, b, c, d) = (values.0 &>> 18, values.1 &>> 18, values.2 &>> 18, values.3 &>> 18)
    let (e, f, g, h) = (values.4 &>> 18, values.5 &>> 18, values.6 &>> 18, values.7 &>> 18)
    if (a | b | c | d | e | f | g | h) & ~255 == 0 {
      let low = a | b &<< 8 | c &<< 16 | d &<< 24
      let high = e | f &<< 8 | g &<< 16 | h &<< 24
      return store(UInt64(truncatingIfNeeded: low | high &<< 32).littleEndian, output)
    }
    output[0] = clamped(a)
    output[1] = clamped(b)
    output[2] = clamped(c)
    output[3] = clamped(d)
    output[4] = clamped(e)
    output[5] = clamped(f)
    output[6] = clamped(g)
    output[7] = clamped(h)
  }

  // The factors are of 8192: c(n) = √2·cos(nπ/16).
  @inline(__always)
  private static func eight(
    _ x0: Int, _ x1: Int, _ x2: Int, _ x3: Int, _ x4: Int, _ x5: Int, _ x6: Int, _ x7: Int, _ bias: Int
  ) -> (Int, Int, Int, Int, Int, Int, Int, Int) {
    // Even: a butterfly, and a rotation by 6π/16.
    let turn = (x2 &+ x6) &* 4_433
    let (high, low) = (turn &+ x2 &* 6_270, turn &- x6 &* 15_137)
    let (sum, difference) = ((x0 &+ x4) &<< 13 &+ bias, (x0 &- x4) &<< 13 &+ bias)
    let (e0, e1, e2, e3) = (sum &+ high, difference &+ low, difference &- low, sum &- high)
    // Odd: sums of pairs share their products.
    let all = (x7 &+ x3 &+ x5 &+ x1) &* 9_633
    let (p73, p51) = (all &- (x7 &+ x3) &* 16_069, all &- (x5 &+ x1) &* 3_196)
    let (p71, p53) = ((x7 &+ x1) &* -7_373, (x5 &+ x3) &* -20_995)
    let o3 = x7 &* 2_446 &+ p71 &+ p73
    let o2 = x5 &* 16_819 &+ p53 &+ p51
    let o1 = x3 &* 25_172 &+ p53 &+ p73
    let o0 = x1 &* 12_299 &+ p71 &+ p51
    return (e0 &+ o0, e1 &+ o1, e2 &+ o2, e3 &+ o3, e3 &- o3, e2 &- o2, e1 &- o1, e0 &- o0)
  }
}
