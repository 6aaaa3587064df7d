import FetchPipeline

/// Addresses that are given for hosts, in place of looking them up.
///
/// The guard judges these addresses as it does others.
public struct ResolveRules: Sendable, Hashable {
  private struct Place: Sendable, Hashable {
    var host: String
    var port: Int
  }

  private var places: [Place: [IPAddress]] = [:]

  /// Whether there are none.
  public var isEmpty: Bool { places.isEmpty }

  /// No rules.
  public init() {}

  /// Adds a rule, `HOST:PORT:ADDRESS[,ADDRESS]…` as curl writes it; `*` is any host. A leading `+` means nothing here.
  /// Later rules replace earlier ones. Returns false where the text is no rule.
  public mutating func add(_ rule: String) -> Bool {
    let text = rule.hasPrefix("+") ? rule.dropFirst() : rule[...]
    // An IPv6 address as the host stands in brackets.
    let hostEnd =
      text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
    guard let hostEnd, hostEnd < text.endIndex, text[hostEnd] == ":" else { return false }
    let parts = text[text.index(after: hostEnd)...].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(parts[0]),
      (1...65_535).contains(port)
    else { return false }
    var addresses: [IPAddress] = []
    for part in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
      let bare = part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part
      guard let address = IPAddress(String(bare)) else { return false }
      addresses.append(address)
    }
    let host: String
    if text[..<hostEnd] == "*" {
      host = "*"
    } else {
      guard let url = try? ResourceURL("http://\(text[..<hostEnd])/"), url.authority == url.host, url.target == "/"
      else { return false }
      host = url.host
    }
    places[Place(host: host, port: port)] = addresses
    return true
  }

  /// The addresses given for a host and port.
  func addresses(of host: String, port: Int) -> [IPAddress]? {
    places[Place(host: host, port: port)] ?? places[Place(host: "*", port: port)]
  }
}
