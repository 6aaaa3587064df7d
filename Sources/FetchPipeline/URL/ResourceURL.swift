/// An `http` or `https` URL: parsed once, and from then on the same value for keys, queues, guards and transports.
///
/// What is written is kept: percent-encoded bytes stay as they are, and only what cannot be sent is encoded (spaces,
/// controls, non-ASCII as UTF-8), as browsers do (WHATWG URL, "percent-encode sets"). Hosts are lower-cased, IDNA-encoded
/// and, where they are numbers in disguise (`0x7f.1`, `2130706433`), written as the address they mean; default ports,
/// dot segments and the fragment go.
public struct ResourceURL: Sendable, Hashable {
  /// The schemes that are fetched.
  public enum Scheme: String, Sendable, Hashable {
    case http
    case https

    /// The port where none is named.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// The scheme.
  public let scheme: Scheme
  /// The host as ASCII, lower case; an IPv6 address in brackets.
  public let host: String
  /// The port, where it is not the scheme's default.
  public let explicitPort: Int?
  /// The path, encoded; starts with a slash.
  public let path: String
  /// The query without its question mark, encoded; nil where there is none.
  public let query: String?
  /// The user name of the URL, decoded; never sent as part of the URL.
  public let user: String?
  /// The password of the URL, decoded; never sent as part of the URL.
  public let password: String?

  init(
    scheme: Scheme, host: String, explicitPort: Int?, path: String, query: String?, user: String?, password: String?
  ) {
    self.scheme = scheme
    self.host = host
    self.explicitPort = explicitPort
    self.path = path
    self.query = query
    self.user = user
    self.password = password
  }

  /// A URL from the parts of one that was parsed before, without parsing it again; nil where they cannot be such parts.
  package init?(scheme: Scheme, host: String, explicitPort: Int?, path: String, query: String?) {
    let isSent = { (part: String) in part.utf8.allSatisfy { (0x21...0x7e).contains($0) } }
    guard !host.isEmpty, path.utf8.first == UInt8(ascii: "/"), isSent(host), isSent(path), query.map(isSent) ?? true,
      (0...65_535).contains(explicitPort ?? 0)
    else { return nil }
    self.init(
      scheme: scheme, host: host, explicitPort: explicitPort, path: path, query: query, user: nil, password: nil)
  }

  /// The port that is connected to.
  public var port: Int { explicitPort ?? scheme.defaultPort }

  /// Scheme, host and port: what a redirect must not leave with secrets (RFC 6454).
  public var origin: String { "\(scheme.rawValue)://\(authority)" }

  /// Host and port as in the Host field.
  public var authority: String { explicitPort.map { "\(host):\($0)" } ?? host }

  /// Path and query, as in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The last component of the path, percent-decoded; empty where the path ends with a slash.
  public var lastPathComponent: String {
    let component = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    return String(decoding: PercentEncoding.decode(component.utf8), as: UTF8.self)
  }

  /// A copy with another query, encoded as it needs to be; nil for none.
  public func replacing(query: String?) -> ResourceURL {
    ResourceURL(
      scheme: scheme, host: host, explicitPort: explicitPort, path: path,
      query: query.map { PercentEncoding.encode($0.utf8, allowing: .query) }, user: user, password: password)
  }

  /// A copy with only those parameters of the query (`name=value`, between `&`) whose decoded name `isKept` admits, as
  /// they were written and in their order; without a query where none is left.
  public func keepingQueryParameters(_ isKept: (String) -> Bool) -> ResourceURL {
    guard let query else { return self }
    let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { parameter in
      let name = parameter.utf8.prefix { $0 != UInt8(ascii: "=") }
      return isKept(String(decoding: PercentEncoding.decode(name), as: UTF8.self))
    }
    return replacing(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
  }
}

extension ResourceURL: CustomStringConvertible {
  /// The URL as it is sent: without user, password and fragment.
  public var description: String { origin + target }
}
