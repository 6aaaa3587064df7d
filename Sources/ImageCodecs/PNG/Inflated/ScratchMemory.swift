#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory that is used again and again, of which little is kept in between.
final class ScratchMemory {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private let kept: Int

  /// - Parameter kept: the bytes that are not given back.
  init(keeping kept: Int) {
    self.kept = kept
  }

  deinit {
    free(base)
  }

  /// `count` bytes with any content, until the next call; nil where there is no memory.
  func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    if capacity < count {
      free(base)
      // With as much as is kept anyhow the next small picture needs no other.
      let wanted = max(count, min(kept, 2 * count))
      base = malloc(wanted)
      capacity = base == nil ? 0 : wanted
    }
    return base.map { UnsafeMutableRawBufferPointer(start: $0, count: count) }
  }

  /// Gives back what is not kept.
  func trim() {
    guard capacity > kept else { return }
    free(base)
    (base, capacity) = (nil, 0)
  }
}
