import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The transport `curl` of a configuration.
public struct CurlStage: Stage {
  /// Stands in the slot `transport`.
  public typealias Slot = TransportSlot

  /// `curl`.
  public static let name = "curl"
  /// What it does.
  public static let summary = "HTTP and HTTPS by libcurl, with a guard against private addresses"

  /// The longest that looking a name up and connecting may take.
  public var connectTimeout = Duration.seconds(10)
  /// The longest that nothing may be received, once connected.
  public var stallTimeout = Duration.seconds(10)
  /// Whether addresses that are not on the public internet may be connected to.
  public var privateAddresses = PrivateAddresses.deny
  /// Names, addresses and blocks of addresses that may be connected to all the same.
  public var allowHosts: [String] = []
  /// Addresses that are given for hosts, as curl writes them.
  public var resolve: [String] = []
  /// The proxy.
  public var proxy = ProxyChoice.environment
  /// The PEM file of the authorities that are trusted in place of the system's.
  public var caFile: String?
  /// The certificate of the client.
  public var clientCertificate: ClientCertificate?
  /// Whether users and passwords come from the user's `.netrc`.
  public var netrc = false
  /// Whether cookies that are set are sent back.
  public var cookies = false
  /// Which version of the Internet Protocol is used.
  public var ipVersion = IPVersion.any

  /// The defaults.
  public init() {}

  /// The defaults, with hosts, addresses or CIDRs that may be asked though they are private.
  public init(allowHosts: [String]) {
    self.allowHosts = allowHosts
  }

  /// What becomes of connections to addresses that are not public.
  public enum PrivateAddresses: String, CaseIterable, ConfigurationValue {
    case deny, allow
  }

  /// The options that only this transport has.
  public static let options: [OptionDeclaration<CurlStage>] = [
    .init(
      "connectTimeout", \.connectTimeout, in: .milliseconds(1)...(.seconds(3600)),
      "the longest that looking the host's name up and connecting to it may take"),
    .init(
      "stallTimeout", \.stallTimeout, in: .milliseconds(1)...(.seconds(3600)),
      "the longest that nothing may be received, once connected; more is stalled"),
    .init(
      "privateAddresses", \.privateAddresses,
      "whether loopback, link-local, private and other special addresses may be connected to"),
    .init(
      "allowHosts", \.allowHosts,
      "host names, addresses and blocks (10.0.0.0/8) that may be connected to all the same"
    ) { $0.lazy.compactMap(problem).first },
    .init(
      "resolve", \.resolve,
      "addresses for hosts in place of looking them up: \"example.org:443:192.0.2.1\", * for any host"
    ) { rules in
      var parsed = ResolveRules()
      return rules.first { !parsed.add($0) }.map { "\"\($0)\" is not HOST:PORT:ADDRESS[,ADDRESS]" }
    },
    .init(
      "proxy", \.proxy,
      "scheme://user:password@host:port of a proxy for all requests, \"\" for none; by default http_proxy, https_proxy, "
        + "all_proxy and no_proxy of the environment"),
    .init("caFile", \.caFile, "the PEM file of the authorities that are trusted in place of the system's"),
    .init(
      "clientCertificate", \.clientCertificate,
      "the PEM file of the client's certificate and key, or {\"file\", \"key\", \"password\"}"),
    .init("netrc", \.netrc, "whether users and passwords come from ~/.netrc where nothing else names them"),
    .init("cookies", \.cookies, "whether cookies that are set are sent back within a run"),
    .init("ipVersion", \.ipVersion, "which version of the Internet Protocol is used"),
  ]

  /// Notes files that cannot be read.
  public func validate(in scope: ConfigurationScope) {
    let context = StageContext(folder: scope.folder)
    let files = [
      ("caFile", caFile), ("clientCertificate", clientCertificate?.file), ("clientCertificate", clientCertificate?.key),
    ]
    for case (let option, let file?) in files where access(context.resolving(file), R_OK) != 0 {
      scope.member(option).report("\"\(file)\" cannot be read")
    }
  }

  /// Makes the transport; its thread starts with the first request.
  public func make(in context: StageContext) throws -> any Transport {
    var configuration = CurlConfiguration()
    configuration.connections = context.transport.connections
    configuration.connectionsPerHost = context.transport.connectionsPerHost
    configuration.maximumBytes = context.transport.maxBytes.bytes
    configuration.connectTimeout = connectTimeout
    configuration.stallTimeout = stallTimeout
    configuration.policy = AddressPolicy(
      allowsPrivateAddresses: privateAddresses == .allow, allowedHosts: allowHosts)
    for rule in resolve {
      guard configuration.resolve.add(rule) else {
        throw PipelineError(.transport, .invalidInput, "\"\(rule)\" is not HOST:PORT:ADDRESS[,ADDRESS]")
      }
    }
    configuration.proxies = proxy.rules
    configuration.authorities = caFile.map(context.resolving)
    configuration.clientCertificate = clientCertificate.map {
      ClientCertificate(
        file: context.resolving($0.file), key: $0.key.map(context.resolving), password: $0.password)
    }
    configuration.usesNetrc = netrc
    configuration.keepsCookies = cookies
    configuration.ipVersion = ipVersion
    return try CurlTransport(configuration)
  }

  /// What is wrong with an entry of `allowHosts`, if anything is.
  private static func problem(_ entry: String) -> String? {
    AddressPolicy.isValid(allowedHost: entry)
      ? nil : "\"\(entry)\" is not a host name, an address or a block of addresses such as 10.0.0.0/8"
  }
}
