/// Which addresses may be connected to: a rule against server-side request forgery.
///
/// A transport asks it about the address that a socket is about to connect to, after every look-up and every redirect,
/// never about the text of a URL.
public struct AddressPolicy: Sendable, Hashable {
  /// Whether addresses that are not on the public internet may be connected to.
  public var allowsPrivateAddresses: Bool
  /// What is exempt: host names, compared without regard to case, as URLs write them.
  public var allowedNames: Set<String>
  /// What is exempt: blocks of addresses.
  public var allowedNetworks: [IPNetwork]

  /// A policy; each entry of `allowedHosts` is a name, an address or a block (`10.0.0.0/8`).
  public init(allowsPrivateAddresses: Bool = false, allowedHosts: [String] = []) {
    self.allowsPrivateAddresses = allowsPrivateAddresses
    allowedNames = []
    allowedNetworks = []
    for entry in allowedHosts {
      let bare = entry.hasPrefix("[") && entry.hasSuffix("]") ? String(entry.dropFirst().dropLast()) : entry
      if let network = IPNetwork(bare) {
        allowedNetworks.append(network)
      } else {
        allowedNames.insert(HostName.canonical(entry[...]) ?? entry.lowercased())
      }
    }
  }

  /// Whether an entry of `allowedHosts` is a name, an address or a block of addresses.
  public static func isValid(allowedHost entry: String) -> Bool {
    IPNetwork(entry) != nil || HostName.canonical(entry[...]) != nil
  }

  /// Whether a connection to `address`, which `host` has been resolved to, is allowed.
  public func permits(_ address: IPAddress, host: String) -> Bool {
    if allowsPrivateAddresses || address.isPublic || allowedNames.contains(host.lowercased()) { return true }
    let candidates = [address, address.embeddedIPv4.map(IPAddress.v4)].compactMap { $0 }
    return allowedNetworks.contains { network in candidates.contains(where: network.contains) }
  }
}

extension IPAddress {
  /// Whether the address is a unicast one that the public internet routes, by the special-purpose registries of IANA
  /// (RFC 6890 and its updates); an address that embeds a version 4 one is what that one is.
  public var isPublic: Bool {
    switch self {
    case .v4:
      return !Self.specialIPv4.contains { $0.contains(self) }
    case .v6(let high, _):
      if let embedded = embeddedIPv4 { return IPAddress.v4(embedded).isPublic }
      // Only 2000::/3 is allocated as global unicast.
      return high >> 61 == 1 && !Self.specialIPv6.contains { $0.contains(self) }
    }
  }

  /// The version 4 address in a mapped (RFC 4291, 2.5.5.2), compatible (2.5.5.1), NAT64 (RFC 6052) or 6to4 (RFC 3056)
  /// one.
  public var embeddedIPv4: UInt32? {
    guard case .v6(let high, let low) = self else { return nil }
    if high == 0, low >> 32 == 0xffff { return UInt32(truncatingIfNeeded: low) }
    if high == 0, low >> 32 == 0, low > 1 { return UInt32(truncatingIfNeeded: low) }
    if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return UInt32(truncatingIfNeeded: low) }
    if high >> 48 == 0x2002 { return UInt32(truncatingIfNeeded: high >> 16) }
    return nil
  }

  private static let specialIPv4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap(IPNetwork.init)

  /// Within 2000::/3: protocol assignments with Teredo (RFC 4380), documentation (RFC 3849, RFC 9637).
  private static let specialIPv6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].compactMap(IPNetwork.init)
}
