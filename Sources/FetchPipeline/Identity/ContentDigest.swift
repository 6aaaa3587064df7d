/// 64 bits that stand for a file's bytes: equal bytes have equal ones, and other bytes others, but for one chance in 2⁶⁴.
///
/// XXH64 with the seed 0 (the xxHash fast digest algorithm, "XXH64 Algorithm Description"), which takes some 0.1 ms a
/// megabyte. It tells whether something was made of these bytes or of others. It is no defence against somebody who makes
/// two files with one digest on purpose: all that would come of it is that the first one's pictures stay.
public struct ContentDigest: RawRepresentable, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt64

  /// A digest read back from storage.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The digest of some bytes.
  public init(of bytes: SharedBytes) {
    rawValue = bytes.withUnsafeBytes(Self.hash)
  }

  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  // Every load is inside the buffer: each loop goes on only where as many bytes are left as it takes.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var at = 0
    var sum: UInt64
    if bytes.count >= 32 {
      var lanes = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
      while bytes.count - at >= 32 {
        lanes.0 = round(lanes.0, word(bytes, at))
        lanes.1 = round(lanes.1, word(bytes, at + 8))
        lanes.2 = round(lanes.2, word(bytes, at + 16))
        lanes.3 = round(lanes.3, word(bytes, at + 24))
        at += 32
      }
      sum = rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
      for lane in [lanes.0, lanes.1, lanes.2, lanes.3] { sum = (sum ^ round(0, lane)) &* prime1 &+ prime4 }
    } else {
      sum = prime5
    }
    sum &+= UInt64(bytes.count)
    while bytes.count - at >= 8 {
      sum = rotated(sum ^ round(0, word(bytes, at)), 27) &* prime1 &+ prime4
      at += 8
    }
    if bytes.count - at >= 4 {
      let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      sum = rotated(sum ^ (half &* prime1), 23) &* prime2 &+ prime3
      at += 4
    }
    while at < bytes.count {
      sum = rotated(sum ^ (UInt64(bytes[at]) &* prime5), 11) &* prime1
      at += 1
    }
    sum = (sum ^ (sum &>> 33)) &* prime2
    sum = (sum ^ (sum &>> 29)) &* prime3
    return sum ^ (sum &>> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }
}
