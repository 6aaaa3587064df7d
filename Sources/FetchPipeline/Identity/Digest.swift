/// 32 bytes that stand for what was hashed.
public struct Digest: Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  /// A digest read back from storage; nil unless it has 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  fileprivate init(hashed bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Lower-case hexadecimal, 64 digits.
  public var hex: String { Self.hex(of: bytes) }

  /// The first `digits` hexadecimal digits.
  public func hex(_ digits: Int) -> String { String(Self.hex(of: bytes).prefix(digits)) }

  private static func hex(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Builds a digest from named, typed fields.
///
/// Every field is framed by its type and length, so that no two lists of fields hash alike by running into each other.
public struct Fingerprint: Sendable {
  private var hash = SHA256()

  /// An empty fingerprint for a purpose, which keeps digests of different kinds apart.
  public init(_ purpose: String) {
    frame(0x50, Array(purpose.utf8))
  }

  /// Adds text.
  public mutating func add(_ name: String, _ value: String) {
    field(name)
    frame(0x53, Array(value.utf8))
  }

  /// Adds an integer.
  public mutating func add(_ name: String, _ value: Int) {
    field(name)
    frame(0x49, Self.bigEndian(UInt64(bitPattern: Int64(value))))
  }

  /// Adds a number, by its bit pattern.
  public mutating func add(_ name: String, _ value: Double) {
    field(name)
    frame(0x44, Self.bigEndian(value.bitPattern))
  }

  /// Adds a truth value.
  public mutating func add(_ name: String, _ value: Bool) {
    field(name)
    frame(0x42, [value ? 1 : 0])
  }

  /// Adds bytes.
  public mutating func add(_ name: String, _ value: SharedBytes) {
    field(name)
    frame(0x59, value.array())
  }

  /// Adds a digest.
  public mutating func add(_ name: String, _ value: Digest) {
    field(name)
    frame(0x48, value.bytes)
  }

  /// Adds that there is no value.
  public mutating func addNone(_ name: String) {
    field(name)
    frame(0x4e, [])
  }

  /// The digest of all that was added.
  public consuming func digest() -> Digest {
    Digest(hashed: hash.finalize())
  }

  private mutating func field(_ name: String) {
    frame(0x46, Array(name.utf8))
  }

  private mutating func frame(_ tag: UInt8, _ bytes: [UInt8]) {
    hash.update(byte: tag)
    hash.update(Self.bigEndian(UInt64(bytes.count)))
    hash.update(bytes)
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
  }
}
