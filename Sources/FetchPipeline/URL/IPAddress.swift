#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An address of version 4 or 6.
public enum IPAddress: Sendable, Hashable {
  /// Version 4, most significant byte first.
  case v4(UInt32)
  /// Version 6, most significant half first.
  case v6(UInt64, UInt64)

  /// The address that `text` writes in the usual notation (no brackets, no zone); nil where it is none.
  public init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    // C would take a NUL for the end of the text.
    if text.utf8.contains(0) { return nil }
    if inet_pton(AF_INET, text, &four) == 1 {
      self = .v4(UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self = withUnsafeBytes(of: &six) { Self(v6: $0) }
    } else {
      return nil
    }
  }

  /// The address in a socket address of family `AF_INET` or `AF_INET6`; nil for any other.
  public init?(_ address: UnsafePointer<sockaddr>, length: Int) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      self = UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
      }
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      self = UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin6_addr) { Self(v6: $0) }
      }
    default: return nil
    }
  }

  private init(v6 bytes: UnsafeRawBufferPointer) {
    self = .v6(
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

extension IPAddress: CustomStringConvertible {
  /// The usual notation (RFC 5952 for version 6).
  public var description: String {
    switch self {
    case .v4(let value):
      return stride(from: 24, through: 0, by: -8).map { String((value >> UInt32($0)) & 255) }.joined(separator: ".")
    case .v6(let high, let low):
      var address = in6_addr()
      withUnsafeMutableBytes(of: &address) {
        $0.storeBytes(of: high.bigEndian, as: UInt64.self)
        $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "::" }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}

/// A block of addresses: an address and the number of its leading bits that count (RFC 4632).
public struct IPNetwork: Sendable, Hashable {
  /// The first address.
  public let address: IPAddress
  /// The leading bits that count.
  public let prefixLength: Int

  /// The network that `text` writes as `address/length`, or as a lone address; nil where it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
    self.address = address
    let bits = if case .v4 = address { 32 } else { 128 }
    guard parts.count == 2 else {
      prefixLength = bits
      return
    }
    guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
      (0...bits).contains(length)
    else { return nil }
    prefixLength = length
  }

  /// Whether `other` lies in the block.
  public func contains(_ other: IPAddress) -> Bool {
    switch (address, other) {
    case (.v4(let a), .v4(let b)):
      return prefixLength == 0 || (a ^ b) >> UInt32(32 - prefixLength) == 0
    case (.v6(let aHigh, let aLow), .v6(let bHigh, let bLow)):
      let high = aHigh ^ bHigh
      if prefixLength <= 64 { return prefixLength == 0 || high >> UInt64(64 - prefixLength) == 0 }
      return high == 0 && (aLow ^ bLow) >> UInt64(128 - prefixLength) == 0
    default: return false
    }
  }
}
