import FetchPipeline

/// Writes JPEG files by ITU-T T.81, whose blocks are flat, so that every sample of every scaled decode is known.
///
/// The quantiser of all coefficients is 8: a block of DC value d has samples of exactly 128 + d.
struct JPEGBytes {
  /// A component and its sampling factors.
  struct Component {
    var id: UInt8
    var horizontal = 1
    var vertical = 1
  }

  var width: Int
  var height: Int
  var components: [Component]
  /// SOF0; 0xc1 extended, 0xc2 progressive.
  var frame: UInt8 = 0xc0
  var precision: UInt8 = 8
  /// Whole segments between SOI and the tables.
  var segments: [UInt8] = []
  /// MCUs from one restart marker to the next; 0 for none.
  var restartInterval = 0
  /// The level, 0…255, of a block.
  var level: (_ component: Int, _ column: Int, _ row: Int) -> Int

  /// One grey component.
  static func gray(_ width: Int, _ height: Int, level: @escaping (Int, Int) -> Int) -> JPEGBytes {
    JPEGBytes(width: width, height: height, components: [Component(id: 1)]) { level($1, $2) }
  }

  /// Luma of the factors, and two chroma components of 1×1.
  static func color(
    _ width: Int, _ height: Int, _ horizontal: Int = 2, _ vertical: Int = 2,
    level: @escaping (_ component: Int, _ column: Int, _ row: Int) -> Int = { component, _, _ in
      [128, 90, 200][component]
    }
  ) -> JPEGBytes {
    JPEGBytes(
      width: width, height: height,
      components: [
        Component(id: 1, horizontal: horizontal, vertical: vertical), Component(id: 2), Component(id: 3),
      ], level: level)
  }

  /// Components of 1×1 in one level each.
  static func flat(_ width: Int, _ height: Int, ids: [UInt8], levels: [Int]) -> JPEGBytes {
    JPEGBytes(width: width, height: height, components: ids.map { Component(id: $0) }) { component, _, _ in
      levels[component]
    }
  }

  // MARK: Files

  /// A file of one scan.
  var file: [UInt8] { head + scan(Array(components.indices)) + Self.end }

  /// A file with a scan for each component.
  var fileOfSeparateScans: [UInt8] { head + components.indices.flatMap { scan([$0]) } + Self.end }

  /// A progressive file: a scan of the DC values, and one of all AC values for each component.
  var progressiveFile: [UInt8] { progressiveScans.reduce(progressiveHead, +) + Self.end }

  var progressiveHead: [UInt8] {
    var copy = self
    copy.frame = 0xc2
    return copy.head
  }

  var progressiveScans: [[UInt8]] {
    [scan(Array(components.indices), spectrum: 0...0)] + components.indices.map { scan([$0], spectrum: 1...63) }
  }

  static let start: [UInt8] = [0xff, 0xd8]
  static let end: [UInt8] = [0xff, 0xd9]

  /// Everything before the first scan.
  var head: [UInt8] { Self.start + segments + quantizers + frameHeader + Self.codes + restarts }

  /// A marker segment (B.1.1.4).
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
  }

  /// DQT: table 0, 8 everywhere.
  var quantizers: [UInt8] { Self.segment(0xdb, [0] + Array(repeating: 8, count: 64)) }

  /// SOF.
  var frameHeader: [UInt8] {
    var content: [UInt8] = [precision, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
    content.append(UInt8(components.count))
    for component in components {
      content += [component.id, UInt8(component.horizontal << 4 | component.vertical), 0]
    }
    return Self.segment(frame, content)
  }

  /// DHT: the DC categories 0…11 in 4 bits each; AC has EOB as 0, and the run of 16,384 and more blocks as 10.
  static let codes =
    segment(0xc4, [0x00] + counts([4: 12]) + Array(0...11))
    + segment(0xc4, [0x10] + counts([1: 1, 2: 1]) + [0x00, 0xe0])

  private static func counts(_ counts: [Int: UInt8]) -> [UInt8] { (1...16).map { counts[$0] ?? 0 } }

  private var restarts: [UInt8] {
    restartInterval == 0
      ? [] : Self.segment(0xdd, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)])
  }

  // MARK: Scans

  /// SOS.
  func scanHeader(_ indices: [Int], spectrum: ClosedRange<UInt8> = 0...63) -> [UInt8] {
    var content = [UInt8(indices.count)]
    for index in indices { content += [components[index].id, 0] }
    return Self.segment(0xda, content + [spectrum.lowerBound, spectrum.upperBound, 0])
  }

  /// A scan of some components, with its header.
  func scan(_ indices: [Int], spectrum: ClosedRange<UInt8> = 0...63) -> [UInt8] {
    var bits = BitWriter()
    var previous = Array(repeating: 0, count: components.count)
    let hasDC = spectrum.lowerBound == 0
    let hasAC = spectrum.upperBound > 0
    func block(_ component: Int, _ column: Int, _ row: Int) {
      if hasDC {
        let (columns, rows) = blocks(of: component)
        let value = level(component, min(column, columns - 1), min(row, rows - 1)) - 128
        bits.writeDifference(value - previous[component])
        previous[component] = value
      }
      if hasAC { bits.write(0, 1) }
    }
    for (number, unit) in units(of: indices).enumerated() {
      if restartInterval > 0, number > 0, number % restartInterval == 0 {
        bits.writeRestart((number / restartInterval - 1) % 8)
        previous = Array(repeating: 0, count: components.count)
      }
      for (component, column, row) in unit { block(component, column, row) }
    }
    return scanHeader(indices, spectrum: spectrum) + bits.finished()
  }

  /// The blocks that a component has (A.2.4), without those that only fill the last MCUs.
  func blocks(of component: Int) -> (columns: Int, rows: Int) {
    let most = (
      horizontal: components.map(\.horizontal).max() ?? 1, vertical: components.map(\.vertical).max() ?? 1
    )
    func count(_ side: Int, _ factor: Int, _ most: Int) -> Int { (side * factor + most * 8 - 1) / (most * 8) }
    return (
      count(width, components[component].horizontal, most.horizontal),
      count(height, components[component].vertical, most.vertical)
    )
  }

  /// The blocks of each MCU: a block where there is one component, else as many of each as its factors say (A.2.3).
  private func units(of indices: [Int]) -> [[(component: Int, column: Int, row: Int)]] {
    if indices.count == 1, let only = indices.first {
      let (columns, rows) = blocks(of: only)
      return (0..<rows).flatMap { row in (0..<columns).map { [(only, $0, row)] } }
    }
    let horizontal = components.map(\.horizontal).max() ?? 1
    let vertical = components.map(\.vertical).max() ?? 1
    let columns = (width + horizontal * 8 - 1) / (horizontal * 8)
    let rows = (height + vertical * 8 - 1) / (vertical * 8)
    return (0..<rows).flatMap { y in
      (0..<columns).map { x in
        indices.flatMap { index in
          (0..<components[index].vertical).flatMap { v in
            (0..<components[index].horizontal).map { h in
              (index, x * components[index].horizontal + h, y * components[index].vertical + v)
            }
          }
        }
      }
    }
  }
}

/// Entropy-coded data: bits from the highest, a zero byte behind each 0xff (B.1.1.5).
struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending = 0
  private var count = 0

  mutating func write(_ value: Int, _ length: Int) {
    for bit in stride(from: length - 1, through: 0, by: -1) {
      pending = pending << 1 | (value >> bit & 1)
      count += 1
      if count == 8 { flush() }
    }
  }

  /// A DC difference by the codes of `JPEGBytes` (F.1.2.1).
  mutating func writeDifference(_ difference: Int) {
    let category = Int.bitWidth - abs(difference).leadingZeroBitCount
    write(category, 4)
    write(difference < 0 ? difference - 1 : difference, category)
  }

  mutating func writeRestart(_ number: Int) {
    pad()
    bytes += [0xff, 0xd0 + UInt8(number)]
  }

  mutating func finished() -> [UInt8] {
    pad()
    return bytes
  }

  private mutating func pad() {
    while count > 0 { write(1, 1) }
  }

  private mutating func flush() {
    bytes.append(UInt8(pending))
    if pending == 0xff { bytes.append(0) }
    (pending, count) = (0, 0)
  }
}
