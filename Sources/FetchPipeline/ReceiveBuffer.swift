#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Sendable: it has one writer at a time, by the contract of `HTTPBodySource.receive`: whoever calls it hands the
// buffer over and does not touch it until the call returns.
/// Memory into which a transport writes a body, once, in order; then it becomes `SharedBytes` without a copy.
public final class ReceiveBuffer: @unchecked Sendable {
  private var base: UnsafeMutableRawPointer?
  /// The bytes written so far.
  public private(set) var count = 0
  /// The bytes that fit without growing.
  public private(set) var capacity: Int

  /// A buffer with room for `capacity` bytes. Throws `out-of-budget` where the system has no memory for it.
  public init(capacity: Int) throws {
    self.capacity = 0
    try grow(to: capacity)
  }

  deinit {
    Self.release(base, capacity: capacity)
  }

  /// The bytes that still fit.
  public var available: Int { capacity - count }

  /// Makes room for at least `newCapacity` bytes in all.
  public func grow(to newCapacity: Int) throws {
    guard newCapacity > capacity else { return }
    guard resize(to: newCapacity) else {
      throw PipelineError(.transport, .outOfBudget, "the system has no memory for \(newCapacity) bytes of a body")
    }
  }

  // MARK: Memory

  /// From how many bytes on a body has pages of its own. Bodies come and go in any order, and hundreds wait at a time: the
  /// allocator's heap would be full of holes.
  private static let mappedFrom = 64 * 1024

  /// Moves to memory of another size; false, and unchanged, where the system has none.
  private func resize(to newCapacity: Int) -> Bool {
    let (isMapped, willBeMapped) = (capacity >= Self.mappedFrom, newCapacity >= Self.mappedFrom)
    let moved: UnsafeMutableRawPointer?
    switch (isMapped, willBeMapped) {
    case (false, false): moved = realloc(base, newCapacity)
    case (true, true): moved = Self.remap(base, from: capacity, to: newCapacity)
    default:
      moved = willBeMapped ? Self.mapping(Self.map(newCapacity)) : malloc(newCapacity)
      if let moved, let base {
        moved.copyMemory(from: base, byteCount: min(count, newCapacity))
        Self.release(base, capacity: capacity)
      }
    }
    guard let moved else { return false }
    base = moved
    capacity = newCapacity
    return true
  }

  private static func map(_ length: Int) -> UnsafeMutableRawPointer? {
    mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  }

  /// Larger or smaller, at another place where there is no room.
  private static func remap(
    _ base: UnsafeMutableRawPointer?, from length: Int, to newLength: Int
  ) -> UnsafeMutableRawPointer? {
    // `mremap` takes variable arguments, which Swift cannot pass.
    guard let base, let moved = mapping(map(newLength)) else { return nil }
    moved.copyMemory(from: base, byteCount: min(length, newLength))
    munmap(base, length)
    return moved
  }

  /// nil for what the system says where it has no memory.
  private static func mapping(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    pointer == MAP_FAILED ? nil : pointer
  }

  private static func release(_ base: UnsafeMutableRawPointer?, capacity: Int) {
    if capacity >= mappedFrom, let base { munmap(base, capacity) } else { free(base) }
  }

  /// Appends as much of `bytes` as fits, and returns how many bytes that were.
  public func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let length = min(bytes.count, available)
    guard length > 0, let base, let source = bytes.baseAddress else { return 0 }
    (base + count).copyMemory(from: source, byteCount: length)
    count += length
    return length
  }

  /// A copy of the first bytes written, at most `length` of them.
  func beginning(_ length: Int) -> SharedBytes {
    SharedBytes(UnsafeRawBufferPointer(start: base, count: min(count, length)))
  }

  /// Hands the memory over; the buffer is empty afterwards.
  public func freeze(keeping: (any AnyObject & Sendable)? = nil) -> SharedBytes {
    // More than an eighth unused is given back; what cannot be moved stays as it is.
    if capacity - count > capacity / 8, count > 0 { _ = resize(to: count) }
    defer {
      base = nil
      count = 0
      capacity = 0
    }
    guard let base else { return SharedBytes.empty }
    let held = capacity
    return SharedBytes(adopting: base, count: count, keeping: keeping) {
      Self.release(UnsafeMutableRawPointer(mutating: $0), capacity: held)
    }
  }
}
