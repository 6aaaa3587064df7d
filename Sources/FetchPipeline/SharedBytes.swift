import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Immutable bytes that are shared, never copied: a response body, a file, an encoded picture.
///
/// The memory has one owner, which frees it when the last value that refers to it goes away.
public struct SharedBytes: Sendable {
  private let owner: Owner
  private let offset: Int
  /// The number of bytes.
  public let count: Int

  private init(owner: Owner, offset: Int, count: Int) {
    self.owner = owner
    self.offset = offset
    self.count = count
  }

  /// A copy of `bytes`.
  public init(_ bytes: some Sequence<UInt8>) {
    let array = Array(bytes)
    self.init(owner: .array(array), offset: 0, count: array.count)
  }

  /// The UTF-8 bytes of `text`.
  public init(utf8 text: String) {
    self.init(text.utf8)
  }

  /// Takes over memory that `release` frees, exactly once, on any thread.
  ///
  /// - Parameters:
  ///   - keeping: kept alive as long as the memory is; a budget reservation, for example.
  public init(
    adopting base: UnsafeRawPointer?, count: Int, keeping: (any AnyObject & Sendable)? = nil,
    release: @escaping @Sendable (UnsafeRawPointer) -> Void
  ) {
    self.init(owner: Owner(base: base, count: count, keeping: keeping, release: release), offset: 0, count: count)
  }

  /// No bytes.
  public static let empty = SharedBytes([])

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// Calls `body` with the bytes, which stay valid and unchanged for the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(owner) {} }
    return try body(UnsafeRawBufferPointer(rebasing: owner.bytes[offset..<(offset + count)]))
  }

  /// The first `length` bytes, or all if there are fewer; shares the memory.
  public func prefix(_ length: Int) -> SharedBytes {
    SharedBytes(owner: owner, offset: offset, count: Swift.min(Swift.max(length, 0), count))
  }

  /// The bytes from `start` on, at most `length` of them, clamped to what is there; shares the memory.
  public func slice(from start: Int, count length: Int) -> SharedBytes {
    let from = Swift.min(Swift.max(start, 0), count)
    return SharedBytes(owner: owner, offset: offset + from, count: Swift.min(Swift.max(length, 0), count - from))
  }

  /// Replaces what is kept alive as long as the memory is, for all values that share it: the budget that it was charged
  /// to is relieved, and from now on it counts towards another one.
  public func charge(to account: any AnyObject & Sendable) {
    owner.keep(account)
  }

  /// A copy as an array.
  public func array() -> [UInt8] {
    withUnsafeBytes { Array($0) }
  }

  // Sendable: the memory is written before the owner is made and never after.
  private final class Owner: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let keeping: Atomic<Unmanaged<AnyObject>?>
    private let release: @Sendable (UnsafeRawPointer) -> Void

    init(
      base: UnsafeRawPointer?, count: Int, keeping: (any AnyObject & Sendable)?,
      release: @escaping @Sendable (UnsafeRawPointer) -> Void
    ) {
      bytes = UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count)
      self.keeping = Atomic(keeping.map { Unmanaged<AnyObject>.passRetained($0) })
      self.release = release
    }

    static func array(_ array: [UInt8]) -> Owner {
      guard !array.isEmpty else { return Owner(base: nil, count: 0, keeping: nil) { _ in } }
      let copy = UnsafeMutableRawPointer.allocate(byteCount: array.count, alignment: 16)
      array.withUnsafeBytes { source in
        copy.copyMemory(from: source.baseAddress ?? UnsafeRawPointer(copy), byteCount: source.count)
      }
      return Owner(base: copy, count: array.count, keeping: nil) { UnsafeMutableRawPointer(mutating: $0).deallocate() }
    }

    func keep(_ account: any AnyObject & Sendable) {
      keeping.exchange(Unmanaged<AnyObject>.passRetained(account), ordering: .acquiringAndReleasing)?.release()
    }

    deinit {
      if let base = bytes.baseAddress { release(base) }
      keeping.load(ordering: .acquiring)?.release()
    }
  }
}

extension SharedBytes: Sequence {
  /// Goes through the bytes.
  public struct Iterator: IteratorProtocol {
    fileprivate let bytes: SharedBytes
    fileprivate var position = 0

    /// The next byte; nil at the end.
    public mutating func next() -> UInt8? {
      guard position < bytes.count else { return nil }
      defer { position += 1 }
      return bytes.withUnsafeBytes { $0[position] }
    }
  }

  /// Begins with the first byte.
  public func makeIterator() -> Iterator { Iterator(bytes: self) }

  /// How many there are.
  public var underestimatedCount: Int { count }

  /// Calls `body` with the bytes.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
  }
}

extension SharedBytes: Equatable {
  /// Whether both hold the same bytes.
  public static func == (left: SharedBytes, right: SharedBytes) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { a in
      right.withUnsafeBytes { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return true }
        return memcmp(a, b, left.count) == 0
      }
    }
  }
}
