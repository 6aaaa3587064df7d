import FetchPipeline
import Testing

/// Which addresses are on the public internet, and which may be connected to.
struct AddressPolicyTests {
  // IANA's special-purpose registries (RFC 6890 and its updates), first and last address of each block.
  @Test(arguments: [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0",
    "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0",
    "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0", "192.168.0.0", "192.168.255.255", "198.18.0.0",
    "198.19.255.255", "198.51.100.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    "::", "::1", "::2", "100::", "fc00::", "fdff::1", "fe80::", "febf::1", "fec0::1", "ff02::1", "2001::1",
    "2001:1ff::1",
    "2001:db8::", "2001:db8:ffff::1", "3fff::1", "3fff:fff:ffff::", "4000::1", "5f00::1", "64:ff9b:1::1",
    // Addresses of version 4 in other clothes.
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "2002:7f00:1::",
    "2002:a00:1::1", "::ffff:169.254.169.254",
  ])
  func specialAddressesAreNotPublic(text: String) throws {
    #expect(try #require(IPAddress(text)).isPublic == false)
  }

  @Test(arguments: [
    "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::1", "2001:200::1",
    "2001:db7::1", "2001:db9::1", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1", "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ])
  func othersArePublic(text: String) throws {
    #expect(try #require(IPAddress(text)).isPublic)
  }

  @Test func privateAddressesAreDeniedUnlessAllowed() throws {
    let address = try #require(IPAddress("10.1.2.3"))
    #expect(!AddressPolicy().permits(address, host: "h"))
    #expect(AddressPolicy(allowsPrivateAddresses: true).permits(address, host: "h"))
    #expect(AddressPolicy().permits(try #require(IPAddress("1.1.1.1")), host: "h"))
  }

  @Test(arguments: [
    ("intranet.example", "10.1.2.3", "intranet.example", true),
    ("Intranet.EXAMPLE", "10.1.2.3", "intranet.example", true),
    ("bücher.example", "10.1.2.3", "xn--bcher-kva.example", true),
    ("intranet.example", "10.1.2.3", "x.intranet.example", false),
    ("10.1.2.3", "10.1.2.3", "h", true), ("10.1.2.3", "10.1.2.4", "h", false), ("10.0.0.0/8", "10.1.2.3", "h", true),
    ("10.0.0.0/8", "192.168.2.3", "h", false), ("10.0.0.0/8", "::ffff:10.1.2.3", "h", true),
    ("::ffff:0:0/96", "::ffff:10.1.2.3", "h", true), ("::ffff:0:0/96", "10.1.2.3", "h", false),
    ("[::1]", "::1", "h", true),
    ("fd00::/8", "fd12::1", "h", true), ("fd00::/8", "fc12::1", "h", false), ("0x7f.1", "127.0.0.1", "127.0.0.1", true),
    ("0.0.0.0/0", "10.1.2.3", "h", true), ("::/0", "10.1.2.3", "h", false),
  ])
  func exemptions(entry: String, address: String, host: String, isPermitted: Bool) throws {
    let policy = AddressPolicy(allowedHosts: ["other.example", entry])
    #expect(policy.permits(try #require(IPAddress(address)), host: host) == isPermitted)
  }

  @Test(arguments: [
    "intranet.example", "10.0.0.1", "10.0.0.0/8", "::1", "[::1]", "fd00::/8", "bücher.example", "127.1",
  ])
  func entriesThatMeanSomething(entry: String) {
    #expect(AddressPolicy.isValid(allowedHost: entry))
  }

  @Test(arguments: [
    "", "a b", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "10.0.0.0/+8", "fd00::/129", "http://h/", "h:80", "1.2.3.4.5",
  ])
  func entriesThatMeanNothing(entry: String) {
    #expect(!AddressPolicy.isValid(allowedHost: entry))
  }
}
