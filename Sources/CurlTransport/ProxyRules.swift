import FetchPipeline

/// A proxy: where it is, and how it is spoken to.
public struct Proxy: Sendable, Hashable {
  /// The ways to speak to a proxy. Names are always resolved by the proxy.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    case http, https, socks4a, socks5h

    /// The port where none is named, as curl has it.
    var defaultPort: Int { self == .https ? 443 : 1080 }
  }

  /// How it is spoken to.
  public let scheme: Scheme
  /// Its host; an IPv6 address in brackets.
  public let host: String
  /// Its port.
  public let port: Int
  /// The user that it is told.
  public let user: String?
  /// The password that it is told.
  public let password: String?

  /// The proxy of `[scheme://][user[:password]@]host[:port]`; without a scheme it is HTTP. `socks5` is taken for
  /// `socks5h`. Nil where the text is none.
  public init?(_ text: String) {
    var rest = text[...]
    var name = "http"
    if let separator = text.firstRange(of: "://") {
      name = text[..<separator.lowerBound].lowercased()
      rest = text[separator.upperBound...]
    }
    guard let scheme = Scheme(rawValue: name == "socks5" ? "socks5h" : name),
      let asHTTP = try? ResourceURL("http://\(rest)"), let asHTTPS = try? ResourceURL("https://\(rest)"),
      asHTTP.target == "/"
    else { return nil }
    self.scheme = scheme
    host = asHTTP.host
    // A port that is named is not the default of both.
    port = asHTTP.explicitPort ?? asHTTPS.explicitPort ?? scheme.defaultPort
    user = asHTTP.user
    password = asHTTP.password
  }

  /// Scheme, host and port.
  var address: String { "\(scheme.rawValue)://\(host):\(port)" }
}

/// Which requests go through which proxy.
public struct ProxyRules: Sendable, Hashable {
  /// The proxy of `http` URLs.
  public var http: Proxy?
  /// The proxy of `https` URLs.
  public var https: Proxy?
  private var exemptNames: Set<String> = []
  private var exemptNetworks: [IPNetwork] = []
  private var exemptsAll = false

  /// No proxy for any request.
  public static let none = ProxyRules(http: nil, https: nil)

  /// These proxies, but not for the hosts of `exemptions`.
  ///
  /// - Parameter exemptions: separated by commas or spaces: a name (its subdomains too, with or without a leading dot),
  ///   an address, a block of addresses, or `*` for all.
  public init(http: Proxy?, https: Proxy?, exemptions: String = "") {
    self.http = http
    self.https = https
    for entry in exemptions.split(whereSeparator: { $0 == "," || $0 == " " }) {
      if entry == "*" {
        exemptsAll = true
      } else if let network = IPNetwork(Self.withoutBrackets(String(entry))) {
        exemptNetworks.append(network)
      } else {
        exemptNames.insert(entry.drop { $0 == "." }.lowercased())
      }
    }
  }

  /// What the environment says: `http_proxy` (in lower case only: in a CGI program `HTTP_PROXY` is a header field of
  /// whoever asks), `https_proxy`, `all_proxy` and `no_proxy` in either case. What is no proxy is not used.
  public init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    self.init(
      http: value("http_proxy", "all_proxy", "ALL_PROXY").flatMap(Proxy.init),
      https: value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY").flatMap(Proxy.init),
      exemptions: value("no_proxy", "NO_PROXY") ?? "")
  }

  /// The proxy for a URL; nil where it is asked directly.
  public func proxy(for url: ResourceURL) -> Proxy? {
    guard let proxy = url.scheme == .http ? http : https, !exemptsAll, !isExempt(url.host) else { return nil }
    return proxy
  }

  private func isExempt(_ host: String) -> Bool {
    if !exemptNetworks.isEmpty, let address = IPAddress(Self.withoutBrackets(host)),
      exemptNetworks.contains(where: { $0.contains(address) })
    {
      return true
    }
    if exemptNames.isEmpty { return false }
    // The name itself, then each of its parents.
    var name = host.hasSuffix(".") ? host.dropLast() : host[...]
    while true {
      if exemptNames.contains(String(name)) { return true }
      guard let dot = name.firstIndex(of: ".") else { return false }
      name = name[name.index(after: dot)...]
    }
  }

  private static func withoutBrackets(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
