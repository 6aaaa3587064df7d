/// Gets the bytes that a request asks for: waits its turn at the host, follows redirects, receives within the limits.
struct Fetcher: Sendable {
  let transport: any Transport
  let middleware: [any TransportMiddleware]
  let queues: HostQueues
  let budget: MemoryBudget
  let options: TransportOptions
  /// Whether bytes that start like these are of use; asked early where the head says that they are none.
  let accepts: @Sendable (SharedBytes) -> Bool

  /// What was fetched.
  struct Fetched: Sendable {
    let body: ReceivedBody
    let exchange: ExchangeDescription
    let isRedirected: Bool
  }

  /// Fetches. `trace` tells, also after a failure, how far it came.
  func fetch(_ request: HTTPRequest, trace: FetchTrace) async throws -> Fetched {
    let account = budget.account()
    let response = try await send(request, through: middleware[...]) { request in
      try await exchange(request, account: account, trace: trace)
    }
    guard (200..<300).contains(response.status) else { throw await statusError(of: response) }
    let bytes = try await response.body.collect(upTo: options.maxBytes.bytes)
    let body = ReceivedBody(
      bytes, contentType: response.headers["Content-Type"], isKnownComplete: !response.isCloseDelimited,
      account: account)
    return Fetched(body: body, exchange: trace.description, isRedirected: trace.isRedirected)
  }

  private func send(
    _ request: HTTPRequest, through wrappers: ArraySlice<any TransportMiddleware>,
    last: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    guard let first = wrappers.first else { return try await last(request) }
    let rest = wrappers.dropFirst()
    return try await first.intercept(request) { try await send($0, through: rest, last: last) }
  }

  /// All hops of an attempt. The answer's body has been received.
  private func exchange(
    _ request: HTTPRequest, account: BodyAccount, trace: FetchTrace
  ) async throws -> HTTPResponse {
    var request = request
    trace.beginAttempt()
    while true {
      let slot = try await queues.slot(for: request.url.host)
      trace.beginHop(to: request.url)
      defer { slot.release() }
      let response = try await transport.send(request)
      trace.received(status: response.status)
      if let target = try await redirect(of: response, count: trace.hops) {
        request = target.applied(to: request)
        continue
      }
      return try await received(response, account: account)
    }
  }

  private func received(_ response: HTTPResponse, account: BodyAccount) async throws -> HTTPResponse {
    var response = response
    if (200..<300).contains(response.status) {
      let contentType = response.headers["Content-Type"]
      let bytes = try await response.body.collect(
        upTo: options.maxBytes.bytes, chargedTo: account,
        inspecting: Self.announcesSomethingElse(contentType)
          ? { prefix in
            if !accepts(prefix) { throw FormatSniffer.error(for: prefix, contentType: contentType) }
          } : nil)
      response.body = HTTPBody(bytes)
    } else {
      response.body = HTTPBody(await beginning(of: response))
    }
    return response
  }

  /// Whether a head says that its body is no picture. The body's first bytes then decide whether the rest is received.
  private static func announcesSomethingElse(_ contentType: String?) -> Bool {
    guard let type = contentType?.lowercased(), !type.isEmpty else { return false }
    return !type.hasPrefix("image/") && !type.hasPrefix("application/octet-stream") && !type.hasPrefix("binary/")
  }

  /// Where an answer sends us; nil where it does not. Its body is drained, so that the connection can be used again.
  private func redirect(of response: HTTPResponse, count: Int) async throws -> RedirectTarget? {
    guard RedirectTarget.statuses.contains(response.status), let location = response.headers["Location"] else {
      return nil
    }
    _ = await beginning(of: response)
    guard count < options.redirects else {
      throw PipelineError(
        .transport, .redirectLimit, "more than \(options.redirects) redirects (transport.redirects)",
        httpStatus: response.status)
    }
    do {
      guard let url = try response.url.resolving(location) else {
        throw PipelineError(.transport, .redirectBlocked, "the redirect leads nowhere: \(location.prefix(200))")
      }
      return RedirectTarget(status: response.status, url: url)
    } catch let error as PipelineError {
      throw PipelineError(
        .transport, .redirectBlocked, "a redirect was not followed: \(error.message)", httpStatus: response.status)
    }
  }

  /// The first bytes of a body that is not wanted. A short one is read to its end, a long one given up.
  private func beginning(of response: HTTPResponse) async -> SharedBytes {
    let limit = 65_536
    do {
      if let length = response.body.expectedLength, length > limit {
        await response.body.cancel()
        return .empty
      }
      return try await response.body.collect(upTo: limit)
    } catch {
      return .empty
    }
  }

  private func statusError(of response: HTTPResponse) async -> PipelineError {
    let status = response.status
    var message = "the server answered \(status)"
    let bytes = await beginning(of: response)
    if !bytes.isEmpty { message += ": \(FormatSniffer.excerpt(of: bytes.prefix(40).array()))" }
    let isTransient = [408, 425, 429].contains(status) || (500..<600).contains(status)
    return PipelineError(.transport, .httpStatus, message, isTransient: isTransient, httpStatus: status)
  }
}

/// Where a redirect leads (RFC 9110, section 15.4).
struct RedirectTarget: Sendable {
  static let statuses: Set<Int> = [301, 302, 303, 307, 308]

  let status: Int
  let url: ResourceURL

  /// The request for the target: a GET where the status says so, and without what another origin must not see.
  func applied(to request: HTTPRequest) -> HTTPRequest {
    var next = request
    next.url = url
    switch (status, request.method) {
    case (303, .get), (303, .head): break
    case (303, _), (301, .post), (302, .post):
      next.method = .get
      next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    default: break
    }
    if url.origin != request.url.origin {
      // Anything that is not plainly harmless may be a credential under another name.
      next.headers.removeAll { $0.isSensitive || !Self.harmless.contains($0.name.lowercased()) }
    }
    return next
  }

  private static let harmless: Set<String> = [
    "accept", "accept-language", "cache-control", "content-type", "pragma", "referer", "user-agent",
  ]
}

/// What happened on the way to an answer, also where there was none.
final class FetchTrace: Sendable {
  private struct State {
    var url: ResourceURL
    var status: Int?
    var attempts = 0
    /// The requests of this attempt.
    var requests = 0
    var isBegun = false
  }

  private let state: Lock<State>
  private let onFirstActivity: @Sendable () -> Void

  /// - Parameter onFirstActivity: called when the first request gets its turn.
  init(_ url: ResourceURL, onFirstActivity: @escaping @Sendable () -> Void) {
    state = Lock(State(url: url))
    self.onFirstActivity = onFirstActivity
  }

  func beginAttempt() {
    state.withLock { state in
      state.attempts += 1
      state.requests = 0
    }
  }

  func beginHop(to url: ResourceURL) {
    let isFirst = state.withLock { state in
      state.requests += 1
      state.url = url
      state.status = nil
      defer { state.isBegun = true }
      return !state.isBegun
    }
    if isFirst { onFirstActivity() }
  }

  func received(status: Int) {
    state.withLock { $0.status = status }
  }

  /// Whether anything was asked.
  var hasBegun: Bool { state.withLock { $0.isBegun } }

  /// The redirects followed in this attempt.
  var hops: Int { state.withLock { max($0.requests - 1, 0) } }

  var isRedirected: Bool { hops > 0 }

  var description: ExchangeDescription {
    state.withLock { ExchangeDescription(status: $0.status, url: $0.url, attempts: $0.attempts, cache: .none) }
  }
}
