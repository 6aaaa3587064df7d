import FetchPipeline
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Addresses and blocks of them.
struct IPAddressTests {
  @Test(arguments: [
    ("192.0.2.1", IPAddress.v4(0xc000_0201)), ("0.0.0.0", .v4(0)), ("255.255.255.255", .v4(0xffff_ffff)),
    ("::", .v6(0, 0)),
    ("::1", .v6(0, 1)), ("2001:db8::ff00:42:8329", .v6(0x2001_0db8_0000_0000, 0x0000_ff00_0042_8329)),
    ("::ffff:192.0.2.1", .v6(0, 0xffff_c000_0201)),
  ])
  func notationAndValue(text: String, address: IPAddress) {
    #expect(IPAddress(text) == address)
    #expect(address.description == text)
  }

  // RFC 5952, section 4.
  @Test(arguments: [
    ("2001:0db8:0:0:0:0:2:1", "2001:db8::2:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:DB8::ABCD", "2001:db8::abcd"),
  ])
  func version6HasOneForm(text: String, expected: String) {
    #expect(IPAddress(text)?.description == expected)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", " 1.2.3.4", "0x7f.0.0.1", "127.1", "[::1]", "::1%lo", "1::2::3",
    "12345::", "127.0.0.1\u{0}.example.org", "::1\u{0}",
  ])
  func whatIsNoAddress(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func socketAddressesAreRead() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0xc000_0201).bigEndian
    #expect(read(&four, length: MemoryLayout<sockaddr_in>.size) == .v4(0xc000_0201))
    #expect(read(&four, length: MemoryLayout<sockaddr_in>.size - 1) == nil)
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &six.sin6_addr) { $0[15] = 1 }
    #expect(read(&six, length: MemoryLayout<sockaddr_in6>.size) == .v6(0, 1))
    #expect(read(&six, length: MemoryLayout<sockaddr_in>.size) == nil)
    six.sin6_family = sa_family_t(AF_UNIX)
    #expect(read(&six, length: MemoryLayout<sockaddr_in6>.size) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "9.255.255.255", false),
    ("10.1.2.3/8", "10.9.9.9", true), ("0.0.0.0/0", "255.1.2.3", true), ("1.2.3.4", "1.2.3.4", true),
    ("1.2.3.4/32", "1.2.3.5", false), ("1.2.3.4/31", "1.2.3.5", true), ("::/0", "ffff::1", true),
    ("::/0", "1.2.3.4", false),
    ("2001:db8::/32", "2001:db8:ffff::", true), ("2001:db8::/32", "2001:db9::", false),
    ("::1:0:0:0/80", "::1:2:3:4", true),
    ("::1:0:0:0:0/64", "0:0:0:1::5", true), ("::/64", "0:0:0:1::", false), ("::/65", "::8000:0:0:0", false),
    ("::/65", "::7fff:0:0:1", true), ("::1/128", "::1", true), ("::1/128", "::", false),
  ])
  func blocksContain(block: String, address: String, expected: Bool) throws {
    #expect(try #require(IPNetwork(block)).contains(try #require(IPAddress(address))) == expected)
  }

  private func read(_ address: UnsafeRawPointer, length: Int) -> IPAddress? {
    IPAddress(address.assumingMemoryBound(to: sockaddr.self), length: length)
  }
}
