import FetchPipeline

/// HTTP and HTTPS by libcurl, on one thread of its own.
///
/// Connections are kept and used again, never more than the configuration allows, idle ones included: when the end of
/// a body has been reported, or `cancel()` has returned, the exchange's connection is idle or closed.
///
/// What a URL says of user and password is sent as Basic authentication, unless the request has an Authorization
/// field. A body that comes compressed although that was not asked for is unwrapped: gzip and deflate here, Brotli and
/// Zstandard by libcurl where it can, for which a GET is sent once more within the same attempt.
///
/// A kept connection on which something has come unasked is closed, and none to that origin is kept from then on. What arrives while the next request
/// is already on its way cannot be told from the answer: HTTP/1.1 does not number answers.
public final class CurlTransport: Transport {
  private let owner: LoopOwner

  /// A transport; its thread starts with the first request. Throws `out-of-budget` where libcurl cannot be set up.
  public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws {
    owner = LoopOwner(try CurlLoop(configuration))
  }

  /// Sends `request`.
  ///
  /// - Throws: `CancellationError` where the task is cancelled; else `PipelineError` with the codes `dns`, `connect`,
  ///   `timeout`, `stalled`, `connection-lost`, `protocol`, `tls`, `blocked-address`, `invalid-input` (a header field
  ///   that cannot be sent), `out-of-budget`, or `cancelled` after `shutdown()`.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let exchange = Exchange(request, maximumBytes: owner.loop.configuration.maximumBytes)
    // From here on whoever drops the body, or never gets it, ends the exchange.
    let source = CurlBody(exchange: exchange, owner: owner)
    let block = try await exchange.head(through: owner.loop)
    guard let head = ResponseHead(block: block, isHead: request.method == .head) else {
      await source.cancel()
      throw PipelineError(.transport, .protocol, "\(request.url.host): the answer has no status line")
    }
    return HTTPResponse(
      status: head.status, headers: head.fields, url: request.url,
      body: HTTPBody(expectedLength: head.expectedLength, source: source), isCloseDelimited: head.isCloseDelimited)
  }

  /// Ends all exchanges with `cancelled` and closes all connections.
  public func shutdown() async {
    await owner.loop.close()
  }
}

/// Closes the loop when the transport and all bodies that come from it are gone.
final class LoopOwner: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) {
    self.loop = loop
  }

  deinit {
    loop.closeSoon()
  }
}

/// The body of an exchange.
private final class CurlBody: HTTPBodySource {
  private let exchange: Exchange
  private let owner: LoopOwner

  init(exchange: Exchange, owner: LoopOwner) {
    self.exchange = exchange
    self.owner = owner
  }

  deinit {
    exchange.cancel(through: owner.loop)
  }

  func receive(into buffer: ReceiveBuffer, atLeast minimum: Int) async throws -> Bool {
    try await exchange.receive(into: buffer, atLeast: minimum, through: owner.loop)
  }

  func cancel() async {
    await exchange.cancelAndWait(through: owner.loop)
  }
}
