import FetchPipeline

/// The transport `curl` of a configuration.
public struct CurlStage: Stage {
  /// Stands in the slot `transport`.
  public typealias Slot = TransportSlot

  /// `curl`.
  public static let name = "curl"
  /// What it does.
  public static let summary = "HTTP and HTTPS by libcurl, with a guard against private addresses."

  /// The longest that looking a name up and connecting may take.
  public var connectTimeout = Duration.seconds(10)
  /// The longest that nothing may be received, once connected.
  public var stallTimeout = Duration.seconds(10)
  /// Whether addresses that are not on the public internet may be connected to.
  public var privateAddresses = PrivateAddresses.deny
  /// Names, addresses and blocks of addresses that may be connected to all the same.
  public var allowHosts: [String] = []

  /// The defaults.
  public init() {}

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
  ]

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
    return try CurlTransport(configuration)
  }

  /// What is wrong with an entry of `allowHosts`, if anything is.
  private static func problem(_ entry: String) -> String? {
    AddressPolicy.isValid(allowedHost: entry)
      ? nil : "\"\(entry)\" is not a host name, an address or a block of addresses such as 10.0.0.0/8"
  }
}
