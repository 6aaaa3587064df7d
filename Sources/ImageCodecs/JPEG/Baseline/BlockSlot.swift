/// A block's place in an MCU (T.81, A.2.3), and all that is needed to decode it.
///
/// What the pointers lead to is owned by the scan.
struct BlockSlot {
  let dcTable: Unmanaged<HuffmanTable>
  let acTable: Unmanaged<HuffmanTable>
  let dcEntries: UnsafePointer<HuffmanEntry>
  let acEntries: UnsafePointer<HuffmanEntry>
  let skips: UnsafePointer<UInt16>
  /// The quantisers in zigzag order, and the coefficients' positions; `BlockShape.paddedCount` of each.
  let steps: UnsafePointer<Int32>
  let positions: UnsafePointer<UInt8>
  /// The last DC value of the component.
  let prediction: UnsafeMutablePointer<Int32>
  let lastNeeded: Int
  let side: Int
  /// The component's index, and the block's place in the MCU.
  let component: Int
  let column: Int
  let row: Int
  /// From one MCU to the next, in blocks.
  let columnsOfUnit: Int
  /// The blocks that the component has; those beyond only fill MCUs.
  let columns: Int

  // The next block, and where its samples go. Blocks from `endColumn` on have none.
  var nextColumn = 0
  var endColumn = 0
  var output: UnsafeMutablePointer<UInt8>
  var stride = 0

  /// Reads the coefficients into `block`, whose positions for them are zeros but for the first one.
  ///
  /// - Returns: the index in zigzag order behind the last coefficient that is not zero, as far as those that are needed;
  ///   at least 1. 0 where the data are irregular.
  @inline(__always)
  func read(into block: UnsafeMutablePointer<Int32>, _ reader: inout BitReader) -> Int {
    // Before each look-up at least 29 bits are there: 56 after the refill, of which a symbol takes 27 at most.
    let dcEntry = dcEntries[reader.peek(HuffmanTable.bits)]
    reader.refill()
    if dcEntry.isComplete {
      reader.take(dcEntry.length)
      prediction.pointee &+= dcEntry.value
    } else {
      guard let symbol = readSlowly(dcEntry, dcTable, &reader) else { return 0 }
      prediction.pointee &+= symbol.value
    }
    // Products are below 2³¹ in regular files. Others wrap, here and in the transforms, and are clamped in the end.
    block[0] = prediction.pointee &* steps[0]

    var index = 1
    while index <= lastNeeded {
      let entry = acEntries[reader.peek(HuffmanTable.bits)]
      reader.refill()
      if entry.isComplete {
        reader.take(entry.length)
        // At most 63 + 15: the tables are longer.
        index &+= entry.run
        block[Int(positions[index])] = entry.value &* steps[index]
        index &+= 1
      } else {
        guard let symbol = readSlowly(entry, acTable, &reader) else { return 0 }
        index &+= symbol.run
        if symbol.hasValue {
          block[Int(positions[index])] = symbol.value &* steps[index]
          index &+= 1
        }
      }
    }
    let end = index
    while index < 64 {
      let skip = Int(skips[reader.peek(HuffmanTable.skipBits)])
      reader.refill()
      let next = index &+ skip &>> 4
      // Where the block may end amid the symbols, they are taken one by one: the next block's have another table.
      if skip != 0 && next & 64 == 0 {
        reader.take(skip & 15)
        index = next
      } else {
        let entry = acEntries[reader.peek(HuffmanTable.bits)]
        if entry.isComplete {
          reader.take(entry.length)
          index &+= entry.run &+ 1
        } else {
          guard let symbol = readSlowly(entry, acTable, &reader) else { return 0 }
          index &+= symbol.hasValue ? symbol.run &+ 1 : symbol.run
        }
      }
    }
    guard index == 64 || index >= HuffmanTable.endOfBlock else { return 0 }
    return end & (HuffmanTable.endOfBlock &- 1)
  }

  /// Transforms what `read` has read, and makes zeros of it.
  @inline(__always)
  func write(_ block: UnsafeMutablePointer<Int32>, coefficients: Int) {
    if coefficients == 1 { return InverseTransform.fill(block[0], side: side, output, stride) }
    switch side {
    case 1: InverseTransform.fill(block[0], side: 1, output, stride)
    case 2: InverseTransform.write2(block, output, stride)
    case 4: InverseTransform.write4(block, output, stride)
    default: InverseTransform.write8(block, end: coefficients, output, stride)
    }
    clear(block)
  }

  /// Makes zeros of all positions.
  @inline(__always)
  func clear(_ block: UnsafeMutablePointer<Int32>) {
    switch side {
    case 1: break
    case 2: block.update(repeating: 0, count: 4)
    case 4: block.update(repeating: 0, count: 16)
    default: block.update(repeating: 0, count: 64)
    }
  }

  /// Reads a symbol whose look-up does not give all of it; nil where there is none. Takes 27 bits at most.
  @inline(never)
  private func readSlowly(
    _ found: HuffmanEntry, _ table: Unmanaged<HuffmanTable>, _ reader: inout BitReader
  ) -> (run: Int, value: Int32, hasValue: Bool)? {
    let entry = found.isValid ? found : table._withUnsafeGuaranteedRef { $0.longEntry(reader.window) }
    guard entry.isValid else { return nil }
    reader.take(entry.length)
    guard entry.needsValue else { return (entry.run, 0, false) }
    let size = entry.size
    let value = HuffmanEntry.value(of: reader.peek(UInt64(size)), size: size)
    reader.take(size)
    return (entry.run, Int32(truncatingIfNeeded: value), true)
  }
}
