import FetchPipeline

/// The only scan of a baseline JPEG: MCU after MCU, each of some blocks of every component (T.81, A.2).
final class BaselineScan {
  /// The most blocks of an MCU (B.2.3).
  private static let mostBlocks = 10
  // A checkpoint costs half a microsecond, a block 30 ns in a usual picture and some times that in the worst.
  private static let blocksOfACheckpoint = 4096

  private let unitColumns: Int
  private let unitRows: Int
  private let restartInterval: Int
  private let planes: [BaselineDecoder.Plane]
  private let outputs: [Output]
  private let slotCount: Int

  /// Where a plane's samples go: it has room for all blocks of its component.
  typealias Output = (base: UnsafeMutablePointer<UInt8>, stride: Int)

  // What the slots lead to. The tables are kept alive by `tables`.
  private let tables: [HuffmanTable]
  private let slots: UnsafeMutablePointer<BlockSlot>
  private let targets: UnsafeMutablePointer<BlockShape.Target>
  private let predictions: UnsafeMutablePointer<Int32>
  private let block: UnsafeMutablePointer<Int32>

  /// - Parameter table: gives the Huffman table of a definition.
  init(
    _ headers: BaselineHeaders, _ planes: [BaselineDecoder.Plane], _ outputs: [Output],
    table: (HuffmanTable.Kind, [UInt8]) throws(DecoderDeclined) -> HuffmanTable
  ) throws(DecoderDeclined) {
    // A scan of one component has an MCU for each block, whatever the sampling factors (A.2.2).
    let isInterleaved = planes.count > 1
    let factors = planes.map { isInterleaved ? ($0.horizontal, $0.vertical) : (1, 1) }
    var tables: [HuffmanTable] = []
    var shapes: [BlockShape] = []
    var quantizers: [[Int32]] = []
    for (component, plane) in zip(headers.components, planes) {
      guard let dcTable = headers.dcTables[component.dcTable], let acTable = headers.acTables[component.acTable],
        let quantizer = headers.quantizers[component.quantizer], let shape = BlockShape(side: plane.blockSide)
      else { throw DecoderDeclined("a table is missing") }
      tables.append(try table(.dc, dcTable))
      tables.append(try table(.ac, acTable))
      shapes.append(shape)
      quantizers.append(quantizer)
    }
    let count = factors.reduce(0) { $0 + $1.0 * $1.1 }
    guard count <= Self.mostBlocks else { throw DecoderDeclined("an MCU has too many blocks") }
    if isInterleaved {
      unitColumns = Self.units(headers.width, 8 * (factors.map(\.0).max() ?? 1))
      unitRows = Self.units(headers.height, 8 * (factors.map(\.1).max() ?? 1))
    } else {
      unitColumns = planes[0].blockColumns
      unitRows = planes[0].blockRows
    }
    restartInterval = headers.restartInterval
    self.planes = planes
    self.outputs = outputs
    self.tables = tables
    slotCount = count

    let padded = BlockShape.paddedCount
    targets = .allocate(capacity: padded * planes.count)
    predictions = .allocate(capacity: planes.count)
    predictions.initialize(repeating: 0, count: planes.count)
    // A position more than a block has, for what is not needed.
    block = .allocate(capacity: 65)
    block.initialize(repeating: 0, count: 65)
    slots = .allocate(capacity: count)
    var at = 0
    for index in planes.indices {
      (targets + index * padded).initialize(from: shapes[index].targets(quantizers[index]), count: padded)
      let (horizontal, vertical) = factors[index]
      for row in 0..<vertical {
        for column in 0..<horizontal {
          (slots + at).initialize(
            to: BlockSlot(
              dcTable: .passUnretained(tables[index * 2]), acTable: .passUnretained(tables[index * 2 + 1]),
              dcEntries: tables[index * 2].entries, acEntries: tables[index * 2 + 1].entries,
              skips: tables[index * 2 + 1].skips, targets: targets + index * padded, prediction: predictions + index,
              lastNeeded: shapes[index].last, side: shapes[index].side, component: index, column: column, row: row,
              columnsOfUnit: horizontal, columns: planes[index].blockColumns, output: outputs[index].base,
              stride: outputs[index].stride))
          at += 1
        }
      }
    }
  }

  deinit {
    slots.deallocate()
    block.deallocate()
    predictions.deallocate()
    targets.deallocate()
  }

  private static func units(_ length: Int, _ side: Int) -> Int { (length + side - 1) / side }

  /// Decodes all MCUs. False where the data are irregular, or anything but EOI stands behind them.
  func decode(_ source: EntropyWindow, checkpoint: DecodeCheckpoint) throws -> Bool {
    guard var reader = source.beginSegment() else { return false }
    let noRestart = Int.max
    var unitsToRestart = restartInterval > 0 ? restartInterval : noRestart
    var restarts: UInt8 = 0
    var blocksToCheckpoint = 0
    for unitRow in 0..<unitRows {
      if blocksToCheckpoint <= 0 {
        try checkpoint()
        blocksToCheckpoint = Self.blocksOfACheckpoint
      }
      beginRow(unitRow)
      var left = unitColumns
      while left > 0 {
        if unitsToRestart == 0 {
          guard source.endSegment(reader, with: 0xd0 + restarts), let next = source.beginSegment() else {
            return false
          }
          reader = next
          restarts = (restarts + 1) & 7
          unitsToRestart = restartInterval
          predictions.update(repeating: 0, count: planes.count)
        }
        let count = min(left, unitsToRestart)
        guard decodeUnits(count, source, &reader) else { return false }
        left -= count
        if unitsToRestart != noRestart { unitsToRestart -= count }
        blocksToCheckpoint -= count * slotCount
      }
    }
    return source.endSegment(reader, with: 0xd9)
  }

  /// Lets the slots stand at the first MCU of a row.
  private func beginRow(_ unitRow: Int) {
    for slot in UnsafeMutableBufferPointer(start: slots, count: slotCount).indices {
      let slot = slots + slot
      let (component, side) = (slot.pointee.component, slot.pointee.side)
      let rowsOfUnit = planes.count > 1 ? planes[component].vertical : 1
      let row = unitRow * rowsOfUnit + slot.pointee.row
      let (base, stride) = outputs[component]
      slot.pointee.nextColumn = slot.pointee.column
      // Blocks that only fill the last row of MCUs have no samples in the plane: they have no columns.
      let isInside = row < planes[component].blockRows
      slot.pointee.endColumn = isInside ? slot.pointee.columns : 0
      slot.pointee.output = isInside ? base + (row * stride + slot.pointee.column) * side : base
    }
  }

  /// Decodes MCUs of one row, one after the other.
  private func decodeUnits(_ count: Int, _ source: EntropyWindow, _ place: inout BitReader) -> Bool {
    var reader = place
    let (slots, slotCount, block) = (slots, slotCount, block)
    for _ in 0..<count {
      if reader.next > source.softLimit {
        // A copy, so that the reader itself stays in registers.
        var moved = reader
        guard source.replenish(&moved) else { return false }
        reader = moved
      }
      var slot = slots
      let end = slots + slotCount
      while slot < end {
        let coefficients = slot.pointee.read(into: block, &reader)
        if coefficients == 0 { return false }
        // Values, not the slot: that would be copied for the call.
        if slot.pointee.nextColumn < slot.pointee.endColumn {
          InverseTransform.write(
            block, end: coefficients, side: slot.pointee.side, slot.pointee.output, slot.pointee.stride)
        } else {
          block.update(repeating: 0, count: 64)
        }
        slot.pointee.nextColumn &+= slot.pointee.columnsOfUnit
        slot.pointee.output += slot.pointee.columnsOfUnit &* slot.pointee.side
        slot += 1
      }
    }
    place = reader
    return true
  }
}
