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

  /// The defaults.
  public init() {}
}
