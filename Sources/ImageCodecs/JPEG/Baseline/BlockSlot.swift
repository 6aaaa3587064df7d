/// A block's place in an MCU (T.81, A.2.3), and all that is needed to decode it.
///
/// What the pointers lead to is owned by the scan.
struct BlockSlot {
  let dcTable: Unmanaged<HuffmanTable>
  let acTable: Unmanaged<HuffmanTable>
  let dcEntries: UnsafePointer<HuffmanEntry>
  let acEntries: UnsafePointer<HuffmanEntry>
  let skips: UnsafePointer<UInt16>
  /// What becomes of each coefficient in zigzag order; `BlockShape.paddedCount` of them.
  let targets: UnsafePointer<BlockShape.Target>
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
  let stride: Int

  /// Reads the coefficients into `block`, whose positions for them are zeros but for the first one.
  ///
  /// - Returns: the index in zigzag order behind the last coefficient that is not zero, as far as those that are needed;
  ///   at least 1. 0 where the data are irregular.
  @inline(__always)
  func read(into block: UnsafeMutablePointer<Int32>, _ reader: inout BitReader) -> Int {
    // Before each look-up there are as many bits as it takes: a refill makes 56, of which at least 17 are left in the end.
    // A symbol takes 27 at most.
    let dcEntry = dcEntries[reader.peek(HuffmanTable.bits)]
    reader.refill()
    if dcEntry.isComplete {
      reader.take(dcEntry.length)
      prediction.pointee &+= dcEntry.value
    } else {
      guard let symbol = Self.slowSymbol(dcEntry, dcTable, reader.window) else { return 0 }
      reader.take(symbol.length)
      prediction.pointee &+= symbol.value
    }
    // Products are below 2³¹ in regular files. Others wrap, here and in the transforms, and are clamped in the end.
    block[0] = prediction.pointee &* targets[0].step

    var index = 1
    while index <= lastNeeded {
      let first = acEntries[reader.peek(HuffmanTable.bits)]
      reader.refill()
      guard first.isComplete else {
        guard let symbol = Self.slowSymbol(first, acTable, reader.window) else { return 0 }
        reader.take(symbol.length)
        index = store(run: symbol.run, value: symbol.value, at: index, in: block)
        continue
      }
      index = take(first, &reader, at: index, in: block)
      // Two more of 11 bits each leave 23.
      guard index <= lastNeeded else { break }
      let second = acEntries[reader.peek(HuffmanTable.bits)]
      guard second.isComplete else { continue }
      index = take(second, &reader, at: index, in: block)
      guard index <= lastNeeded else { break }
      let third = acEntries[reader.peek(HuffmanTable.bits)]
      guard third.isComplete else { continue }
      index = take(third, &reader, at: index, in: block)
    }
    let end = index
    while index < 64 {
      let first = Int(skips[reader.peek(HuffmanTable.skipBits)])
      reader.refill()
      guard skip(first, &reader, &index) else {
        let entry = acEntries[reader.peek(HuffmanTable.bits)]
        if entry.isComplete {
          reader.take(entry.length)
          index &+= entry.run &+ 1
        } else {
          guard let symbol = Self.slowSymbol(entry, acTable, reader.window) else { return 0 }
          reader.take(symbol.length)
          index &+= symbol.run &+ 1
        }
        continue
      }
      // Two more of 13 bits each leave 17.
      guard index < 64 else { break }
      guard skip(Int(skips[reader.peek(HuffmanTable.skipBits)]), &reader, &index), index < 64 else { continue }
      _ = skip(Int(skips[reader.peek(HuffmanTable.skipBits)]), &reader, &index)
    }
    guard index == 64 || index >= HuffmanTable.endOfBlock else { return 0 }
    return end & (HuffmanTable.endOfBlock &- 1)
  }

  /// Takes a complete symbol of a coefficient. Returns the index behind it.
  @inline(__always)
  private func take(
    _ entry: HuffmanEntry, _ reader: inout BitReader, at index: Int, in block: UnsafeMutablePointer<Int32>
  ) -> Int {
    reader.take(entry.length)
    return store(run: entry.run, value: entry.value, at: index, in: block)
  }

  /// Stores a coefficient behind a run of zeros. Returns the index behind it.
  @inline(__always)
  private func store(run: Int, value: Int32, at index: Int, in block: UnsafeMutablePointer<Int32>) -> Int {
    // At most 63 + 127, of an end of block: the tables are longer.
    let place = index &+ run
    let target = targets[place]
    block[Int(target.position)] = value &* target.step
    return place &+ 1
  }

  /// Takes the symbols of a look-up for skipping, if there are any. Where the block may end amid them, they are taken one by
  /// one, for the next block's have another table.
  @inline(__always)
  private func skip(_ found: Int, _ reader: inout BitReader, _ index: inout Int) -> Bool {
    let next = index &+ found &>> 4
    guard next & 64 == 0 else { return false }
    reader.take(found & 15)
    index = next
    return true
  }

  /// What a symbol is whose look-up does not give all of it. Nil where there is none.
  ///
  /// - Parameter window: the bits that come next, from the highest; 27 of them at least.
  @inline(never)
  private static func slowSymbol(
    _ found: HuffmanEntry, _ table: Unmanaged<HuffmanTable>, _ window: UInt64
  ) -> Symbol? {
    let entry = found.isValid ? found : table._withUnsafeGuaranteedRef { $0.longEntry(window) }
    guard entry.isValid else { return nil }
    guard entry.needsValue else { return Symbol(length: entry.length, run: entry.run, value: entry.value) }
    let size = entry.size
    let bits = Int(truncatingIfNeeded: (window &<< UInt64(entry.length)) &>> UInt64(64 &- size))
    return Symbol(
      length: entry.length &+ size, run: entry.run,
      value: Int32(truncatingIfNeeded: HuffmanEntry.value(of: bits, size: size)))
  }

  private struct Symbol {
    /// The bits that it takes, at most 27.
    var length: Int
    var run: Int
    var value: Int32
  }
}
