import Testing

@testable import FetchPipeline

struct ContentDigestTests {
  /// What other implementations of XXH64 give.
  @Test(
    arguments: [
      ("", 0xef46_db37_51d8_e999), ("a", 0xd24e_c4f1_a98c_6e5b), ("abc", 0x44bc_2cf5_ad77_0999),
      ("message digest", 0x066e_d728_fcee_b3be), ("abcdefghijklmnopqrstuvwxyz", 0xcfe1_f278_fa89_835c),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xaaa4_6907_d304_7814),
    ] as [(String, UInt64)])
  func knownValues(text: String, expected: UInt64) {
    #expect(ContentDigest(of: SharedBytes(utf8: text)).rawValue == expected)
  }

  @Test func everyByteCounts() {
    let bytes = (0..<100).map { UInt8($0) }
    var seen = Set([ContentDigest(of: SharedBytes(bytes))])
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      seen.insert(ContentDigest(of: SharedBytes(other)))
      seen.insert(ContentDigest(of: SharedBytes(Array(bytes.prefix(index)))))
    }
    #expect(seen.count == 201)
  }
}
