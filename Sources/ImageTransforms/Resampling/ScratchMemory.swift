/// Several buffers in one allocation that lasts as long as the object; each is aligned to 64 bytes, and not initialised.
final class ScratchMemory {
  private let base: UnsafeMutableRawPointer
  private let offsets: [Int]
  private let byteCount: Int

  init(byteCounts: [Int]) {
    var offsets: [Int] = []
    var total = 0
    for count in byteCounts {
      offsets.append(total)
      total += (count + 63) & ~63
    }
    self.offsets = offsets
    byteCount = max(total, 64)
    base = .allocate(byteCount: byteCount, alignment: 64)
  }

  deinit {
    base.deallocate()
  }

  /// The buffer at `index`. Valid while the object lives, which its user sees to.
  func buffer<Element: BitwiseCopyable>(_ index: Int, of type: Element.Type) -> UnsafeMutablePointer<Element> {
    let end = index + 1 < offsets.count ? offsets[index + 1] : byteCount
    return (base + offsets[index]).bindMemory(to: type, capacity: (end - offsets[index]) / MemoryLayout<Element>.stride)
  }
}
