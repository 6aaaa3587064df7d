import FetchPipeline

/// What a curl transport keeps to.
public struct CurlConfiguration: Sendable {
  /// The most connections at a time, idle ones included.
  public var connections = 64
  /// The most connections to one host and port at a time, idle ones included.
  public var connectionsPerHost = 6
  /// The most bytes of a body, as sent and as decoded.
  public var maximumBytes = 64_000_000
  /// The longest that looking a name up and connecting may take.
  public var connectTimeout = Duration.seconds(10)
  /// The longest that nothing may be received, once connected.
  public var stallTimeout = Duration.seconds(10)
  /// Which addresses may be connected to.
  public var policy = AddressPolicy()
  /// Which requests go through a proxy. The guard does not judge the proxy's address; what it then still judges are
  /// hosts that are written as addresses, not the names that the proxy resolves.
  public var proxies = ProxyRules.none
  /// Addresses that are given for hosts.
  public var resolve = ResolveRules()
  /// The PEM file of the authorities that are trusted in place of the system's.
  public var authorities: String?
  /// The certificate of the client.
  public var clientCertificate: ClientCertificate?
  /// Whether users and passwords come from the user's `.netrc` where neither the URL nor the request names any.
  public var usesNetrc = false
  /// The file that stands for `.netrc`; nil for the one in the user's home.
  public var netrcFile: String?
  /// Whether cookies that are set are sent back, as long as the transport lives.
  public var keepsCookies = false
  /// Which version of the Internet Protocol is used.
  public var ipVersion = IPVersion.any

  /// The defaults.
  public init() {}
}
