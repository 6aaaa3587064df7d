/// The options of every transport: they are the engine's to keep.
public struct TransportOptions: OptionsDeclaring {
  /// The most connections at a time.
  public var connections = 64
  /// The most connections to one host at a time.
  public var connectionsPerHost = 6
  /// The most requests a second to one host; nil for no limit.
  public var requestsPerSecondPerHost: Double?
  /// The most bytes of a body, as sent and as decoded.
  public var maxBytes = ByteCount.megabytes(64)
  /// The most redirects that are followed for an item.
  public var redirects = 10
  /// How often an exchange is tried.
  public var retry = RetryPolicy()
  /// How long a 404 or 410 is believed.
  public var negativeLifetime = Duration.seconds(3600)

  /// The defaults.
  public init() {}

  /// Its options.
  public static let options: [OptionDeclaration<TransportOptions>] = [
    .init("connections", \.connections, in: 1...10_000, "the most connections at a time"),
    .init("connectionsPerHost", \.connectionsPerHost, in: 1...1000, "the most connections to one host at a time"),
    .init(
      "requestsPerSecondPerHost", \.requestsPerSecondPerHost, in: 0.001...100_000,
      "the most requests a second to one host; by default as many as its connections carry"),
    .init(
      "maxBytes", \.maxBytes, in: ByteCount(1)...ByteCount.megabytes(2000),
      "the most bytes of a body, on the wire and decoded; more is body-too-large"),
    .init("redirects", \.redirects, in: 0...100, "the most redirects that are followed for an item"),
    .init("retry", \.retry, "how often an exchange is tried, and how long is waited in between"),
    .init("negativeLifetime", \.negativeLifetime, "how long a later run believes a 404 or 410 without asking again"),
  ]
}
