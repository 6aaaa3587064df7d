/// Writes sequential JPEG files by ITU-T T.81 from coefficients, with every run and size that they may have.
struct CoefficientJPEG {
  /// The codes of the files, from mostly short ones with a few of 16 bits to codes of one length.
  enum Codes: CaseIterable {
    case even, skewed
  }

  var width: Int
  var height: Int
  /// Each component's sampling factors.
  var factors: [(horizontal: Int, vertical: Int)]
  var restartInterval = 0
  var codes = Codes.even
  /// In zigzag order, for every component.
  var quantizers = [Int](repeating: 1, count: 64)
  /// Whether the quantisers are written with 16 bits, which makes the process an extended one.
  var isExtended = false
  /// A block's 64 coefficients in zigzag order, not multiplied by the quantisers.
  var block: (_ component: Int, _ column: Int, _ row: Int) -> [Int]

  var components: ClosedRange<Int> { 0...(factors.count - 1) }

  /// A file of one scan.
  var file: [UInt8] { head + scan + JPEGBytes.end }

  /// Everything before the coded data.
  var head: [UInt8] {
    var head = JPEGBytes.start
    head += JPEGBytes.segment(
      0xdb,
      isExtended
        ? [0x10] + quantizers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } : [0] + quantizers.map { UInt8($0) })
    var frame: [UInt8] = [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
    frame.append(UInt8(factors.count))
    for index in components {
      frame += [UInt8(index + 1), UInt8(factors[index].horizontal << 4 | factors[index].vertical), 0]
    }
    head += JPEGBytes.segment(isExtended ? 0xc1 : 0xc0, frame)
    head += JPEGBytes.segment(0xc4, [0x00] + dcCodes.definition)
    head += JPEGBytes.segment(0xc4, [0x10] + acCodes.definition)
    if restartInterval > 0 {
      head += JPEGBytes.segment(0xdd, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)])
    }
    return head
      + JPEGBytes.segment(0xda, [UInt8(factors.count)] + components.flatMap { [UInt8($0 + 1), 0] } + [0, 63, 0])
  }

  /// The coded data, without EOI.
  var scan: [UInt8] {
    let (dc, ac) = (dcCodes.codes, acCodes.codes)
    var bits = BitWriter()
    var previous = [Int](repeating: 0, count: factors.count)
    for (number, unit) in units.enumerated() {
      if restartInterval > 0, number > 0, number % restartInterval == 0 {
        bits.writeRestart((number / restartInterval - 1) % 8)
        previous = [Int](repeating: 0, count: factors.count)
      }
      for (component, column, row) in unit {
        let values = block(component, column, row)
        write(values[0] - previous[component], run: 0, dc, &bits)
        previous[component] = values[0]
        let last = values.lastIndex { $0 != 0 } ?? 0
        var run = 0
        for value in values[1...].prefix(last) {
          guard value != 0 else {
            run += 1
            continue
          }
          while run > 15 {
            bits.write(symbol: 0xf0, ac)
            run -= 16
          }
          write(value, run: run, ac, &bits)
          run = 0
        }
        if last < 63 { bits.write(symbol: 0x00, ac) }
      }
    }
    return bits.finished()
  }

  private func write(_ value: Int, run: Int, _ codes: [UInt8: (bits: Int, length: Int)], _ bits: inout BitWriter) {
    let size = Int.bitWidth - abs(value).leadingZeroBitCount
    bits.write(symbol: UInt8(run << 4 | size), codes)
    bits.write(value < 0 ? value - 1 : value, size)
  }

  // MARK: Codes

  /// As in DHT, and the code of each symbol (T.81, annex C).
  private struct Table {
    var definition: [UInt8]
    var codes: [UInt8: (bits: Int, length: Int)] = [:]

    init(_ lengths: [(symbol: UInt8, length: Int)]) {
      var counts = [UInt8](repeating: 0, count: 16)
      var next = 0
      var previous = 0
      for (symbol, length) in lengths {
        next <<= length - previous
        codes[symbol] = (next, length)
        counts[length - 1] += 1
        next += 1
        previous = length
      }
      definition = counts + lengths.map(\.symbol)
    }
  }

  private var dcCodes: Table {
    Table((0...11).map { (UInt8($0), codes == .even ? 4 : min($0 + 1, 16)) })
  }

  private var acCodes: Table {
    var symbols: [UInt8] = [0x00, 0x01, 0x02, 0x11, 0x03]
    for symbol in UInt8.min...UInt8.max where !symbols.contains(symbol) {
      if (1...10).contains(symbol & 15) || symbol == 0xf0 { symbols.append(symbol) }
    }
    return Table(
      symbols.enumerated().map { index, symbol in
        guard codes == .skewed else { return (symbol, 8) }
        return (symbol, index < 5 ? index + 2 : index < 40 ? 9 : index < 60 ? 12 : 16)
      })
  }

  // MARK: Blocks

  /// The blocks that a component has (A.2.4), without those that only fill the last MCUs.
  func blocks(of component: Int) -> (columns: Int, rows: Int) {
    let most = most
    func count(_ side: Int, _ factor: Int, _ most: Int) -> Int { (side * factor + most * 8 - 1) / (most * 8) }
    return (
      count(width, factors[component].horizontal, most.horizontal),
      count(height, factors[component].vertical, most.vertical)
    )
  }

  private var most: (horizontal: Int, vertical: Int) {
    (factors.map(\.horizontal).max() ?? 1, factors.map(\.vertical).max() ?? 1)
  }

  /// The blocks of each MCU (A.2.2, A.2.3).
  private var units: [[(component: Int, column: Int, row: Int)]] {
    if factors.count == 1 {
      let (columns, rows) = blocks(of: 0)
      return (0..<rows).flatMap { row in (0..<columns).map { [(0, $0, row)] } }
    }
    let most = most
    let columns = (width + most.horizontal * 8 - 1) / (most.horizontal * 8)
    let rows = (height + most.vertical * 8 - 1) / (most.vertical * 8)
    return (0..<rows).flatMap { y in
      (0..<columns).map { x in
        components.flatMap { index in
          (0..<factors[index].vertical).flatMap { v in
            (0..<factors[index].horizontal).map { h in
              (index, x * factors[index].horizontal + h, y * factors[index].vertical + v)
            }
          }
        }
      }
    }
  }
}

extension BitWriter {
  fileprivate mutating func write(symbol: UInt8, _ codes: [UInt8: (bits: Int, length: Int)]) {
    guard let code = codes[symbol] else { fatalError("no code for \(symbol)") }
    write(code.bits, code.length)
  }
}

extension CoefficientJPEG {
  /// Coefficients as photographs have them: fewer and smaller ones to the end, now and then a long run; the same for each
  /// place.
  static func photographic(_ seed: Int) -> (Int, Int, Int) -> [Int] {
    { component, column, row in
      var random = SeededBytes(
        UInt64(truncatingIfNeeded: seed * 1_000_003 + component * 7919 + column * 104_729 + row * 31))
      var values = [Int](repeating: 0, count: 64)
      values[0] = random.next(below: 1400) - 700
      guard random.next(below: 4) > 0 else { return values }
      let last = random.next(below: 64)
      for index in 1..<64 where index <= last {
        let range = 240 / (index + 2) + 1
        if random.next(below: 3) == 0 { values[index] = random.next(below: range * 2 + 1) - range }
      }
      if random.next(below: 3) == 0 { values[63] = 1 }
      return values
    }
  }
}
