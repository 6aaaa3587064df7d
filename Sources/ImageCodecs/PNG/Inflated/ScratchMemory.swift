#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory that is used again and again, of which little is kept in between.
final class ScratchMemory {
  private var base: UnsafeMutableRawPointer?
  /// The bytes that it has.
  private(set) var capacity = 0

  deinit {
    free(base)
  }

  /// `count` bytes with any content, until the next call; nil where there is no memory.
  func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    if capacity < count {
      free(base)
      base = malloc(count)
      capacity = base == nil ? 0 : count
    }
    return base.map { UnsafeMutableRawBufferPointer(start: $0, count: count) }
  }

  /// Gives it back if it is more than `kept` bytes.
  func trim(to kept: Int) {
    guard capacity > kept else { return }
    free(base)
    (base, capacity) = (nil, 0)
  }
}
