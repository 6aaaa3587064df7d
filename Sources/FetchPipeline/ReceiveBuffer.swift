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
    free(base)
  }

  /// The bytes that still fit.
  public var available: Int { capacity - count }

  /// Makes room for at least `newCapacity` bytes in all.
  public func grow(to newCapacity: Int) throws {
    guard newCapacity > capacity else { return }
    guard let grown = realloc(base, newCapacity) else {
      throw PipelineError(.transport, .outOfBudget, "the system has no memory for \(newCapacity) bytes of a body")
    }
    base = grown
    capacity = newCapacity
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
    // More than an eighth unused is given back; a shrinking `realloc` does not fail in practice, and may.
    if capacity - count > capacity / 8, count > 0, let trimmed = realloc(base, count) { base = trimmed }
    defer {
      base = nil
      count = 0
      capacity = 0
    }
    guard let base else { return SharedBytes.empty }
    return SharedBytes(adopting: base, count: count, keeping: keeping) { free(UnsafeMutableRawPointer(mutating: $0)) }
  }
}
