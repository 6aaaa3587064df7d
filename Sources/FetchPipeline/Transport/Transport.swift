/// Moves one request to its host and the answer back: one hop.
///
/// Redirects, retries, rates and the number of connections are the engine's, so that every transport has them. A
/// transport answers as soon as the head is there; the body follows as it comes.
public protocol Transport: Sendable {
  /// Sends `request`, and returns the head of the answer with a body still to be read. A 3xx is an answer like others.
  ///
  /// - Throws: `PipelineError` of stage transport. Cancellation of the task ends the exchange.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse

  /// Ends all exchanges and gives up all connections. Nothing is sent afterwards.
  func shutdown() async
}

/// Wraps the transport: sees each exchange of an item, may change it, answer in its place, or watch.
public protocol TransportMiddleware: Sendable {
  /// Handles `request`, as a rule by calling `next`.
  func intercept(
    _ request: HTTPRequest, next: @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse
}
