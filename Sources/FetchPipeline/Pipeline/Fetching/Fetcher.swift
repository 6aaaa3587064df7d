/// Gets the bytes that a request asks for: waits its turn at the host, tries again where that may help, follows redirects,
/// receives within the limits.
struct Fetcher: Sendable {
  let transport: any Transport
  let middleware: [any TransportMiddleware]
  let hosts: Hosts
  let budget: MemoryBudget
  let cache: CacheTiers
  let policy = CachePolicy()
  let options: TransportOptions
  let clock: any PipelineClock
  let observer: any PipelineObserver
  /// Whether bytes that start like these are of use; asked early where the head says that they are none.
  var accepts: @Sendable (SharedBytes) -> Bool

  /// What was fetched.
  struct Fetched: Sendable {
    let body: ReceivedBody
    /// How it was fetched; nil for what was here already.
    let exchange: ExchangeDescription?
    /// The header fields of the answer.
    let headers: HTTPFields?
    let isRedirected: Bool

    /// The same with a body that is given up by itself.
    func sharingBody() -> Fetched {
      Fetched(body: body.shared(), exchange: exchange, headers: headers, isRedirected: isRedirected)
    }
  }

  /// Fetches what is at a URL, from the cache as far as that may answer. `trace` tells, also after a failure, how far it
  /// came.
  ///
  /// - Parameter remaking: whether bytes are wanted to make something else of what was fetched before: any stored answer
  ///   will do.
  func fetch(_ request: HTTPRequest, remaking: Bool = false, trace: FetchTrace) async throws -> Fetched {
    let answer = try await answer(to: request, remaking: remaking, trace: trace)
    let response = answer.response
    guard (200..<300).contains(response.status) else {
      throw Self.statusError(response.status, body: await beginning(of: response))
    }
    let bytes = try await response.body.collect(upTo: options.maxBytes.bytes)
    let body = ReceivedBody(
      bytes, contentType: response.headers["Content-Type"], isKnownComplete: !response.isCloseDelimited,
      account: trace.account)
    return Fetched(
      body: body, exchange: trace.description, headers: response.headers,
      isRedirected: answer.isRedirected || trace.isRedirected)
  }

  /// The answer of the origin, through the middleware.
  func exchange(_ request: HTTPRequest, trace: FetchTrace) async throws -> HTTPResponse {
    // What a middleware does before it sends the request on counts as the item's time.
    if !middleware.isEmpty { trace.begin() }
    return try await send(request, through: middleware[...]) { request in
      try await attempts(request, trace: trace)
    }
  }

  /// Takes what is on this machine.
  func read(_ location: ResourceLocation, workers: WorkerPool, trace: FetchTrace) async throws -> Fetched {
    trace.beginReading()
    let bytes: SharedBytes
    let account = budget.account()
    var contentType: String?
    switch location {
    case .url(let url): throw PipelineError(.transport, .unsupportedScheme, "\(url) is to be fetched")
    case .data(let data):
      guard data.bytes.count <= options.maxBytes.bytes else {
        throw PipelineError(.transport, .bodyTooLarge, "the data: URL is larger than transport.maxBytes")
      }
      bytes = data.bytes
      contentType = data.mediaType
    case .file(let path):
      let size = try LocalReader.size(of: path, limit: options.maxBytes.bytes)
      try await account.grow(to: size)
      bytes = try await workers.run { _, _ in try LocalReader.contents(of: path, count: size, keeping: account) }
    }
    let body = ReceivedBody(bytes, contentType: contentType, isKnownComplete: true, account: account)
    return Fetched(body: body, exchange: nil, headers: nil, isRedirected: false)
  }

  private func send(
    _ request: HTTPRequest, through wrappers: ArraySlice<any TransportMiddleware>,
    last: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    guard let first = wrappers.first else { return try await last(request) }
    let rest = wrappers.dropFirst()
    return try await first.intercept(request) { try await send($0, through: rest, last: last) }
  }

  /// All attempts at an exchange. The answer's body has been received.
  private func attempts(_ request: HTTPRequest, trace: FetchTrace) async throws -> HTTPResponse {
    var retry = RetryState(policy: options.retry, method: request.method)
    while true {
      let account = budget.account()
      trace.beginAttempt(account)
      let wait: Duration
      var isAskedFor = false
      do {
        let response = try await hops(request, account: account, trace: trace)
        let asked = retryAfter(of: response)
        let failure = RetryState.Failure.status(response.status, retryAfter: asked)
        guard let pause = retry.wait(after: failure, jitter: .random(in: 0..<1)) else { return response }
        wait = pause
        isAskedFor = asked != nil
        observer.observe(.retrying(url: response.url, status: response.status, error: nil, wait: wait))
      } catch let error as PipelineError {
        guard let pause = retry.wait(after: .error(error), jitter: .random(in: 0..<1)) else { throw error }
        wait = pause
        observer.observe(.retrying(url: request.url, status: nil, error: error, wait: wait))
      }
      if isAskedFor {
        try await trace.waiting { try await clock.sleep(for: wait) }
      } else {
        try await clock.sleep(for: wait)
      }
    }
  }

  /// The hops of an attempt.
  private func hops(
    _ request: HTTPRequest, account: BodyAccount, trace: FetchTrace
  ) async throws -> HTTPResponse {
    var request = request
    while true {
      let host = request.url.host
      let url = request.url
      let turn = try await trace.waiting { try await hosts.turn(for: url) }
      trace.beginHop(to: request.url, at: clock.wallTime)
      defer { turn.slot.release() }
      let response: HTTPResponse
      do {
        response = try await transport.send(request)
        hosts.answered(turn)
      } catch {
        hosts.failed(turn, error)
        throw error
      }
      trace.received(response, at: clock.wallTime)
      hosts.heard(host, asksFor: RetryState.isTransient(response.status) ? retryAfter(of: response) : nil)
      if response.status == 206, request.headers["Range"] == nil {
        await response.body.cancel()
        throw PipelineError(
          .transport, .protocol, "\(host) sent a part (206), though the whole was asked for",
          httpStatus: response.status)
      }
      if let target = try await redirect(of: response, count: trace.hops) {
        request = target.applied(to: request)
        continue
      }
      return try await received(response, account: account)
    }
  }

  /// How long a server asks to be left alone (RFC 9110, section 10.2.3).
  private func retryAfter(of response: HTTPResponse) -> Duration? {
    guard let text = response.headers["Retry-After"]?.trimmingASCIIWhitespace() else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than a number holds are a long time too.
      return .seconds(min(Int(text) ?? .max, 1_000_000_000))
    }
    return HTTPDate.seconds(String(text), now: clock.wallTime).map { .seconds(max($0 - clock.wallTime, 0)) }
  }

  private func received(_ response: HTTPResponse, account: BodyAccount) async throws -> HTTPResponse {
    var response = response
    if (200..<300).contains(response.status) {
      let contentType = response.headers["Content-Type"]
      let length = response.headers["Content-Length"].flatMap { Int($0) }
      let bytes = try await response.body.collect(
        upTo: options.maxBytes.bytes, chargedTo: account,
        inspecting: Self.announcesSomethingElse(contentType)
          ? { prefix in
            if !accepts(prefix) {
              throw FormatSniffer.error(for: prefix, contentType: contentType, length: length)
            }
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

  /// `http-status`, with how the body of the answer begins.
  static func statusError(_ status: Int, body: SharedBytes) -> PipelineError {
    var message = "the server answered \(status)"
    // Of a page the beginning says nothing.
    if !body.isEmpty, FormatSniffer.kind(of: body.prefix(512).array()) != "an HTML page" {
      message += ": \(FormatSniffer.excerpt(of: body.prefix(40).array()))"
    }
    return PipelineError(
      .transport, .httpStatus, message, isTransient: RetryState.isTransient(status), httpStatus: status)
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
    /// What was asked last; nil before anything was.
    var url: ResourceURL?
    var status: Int?
    var attempts = 0
    /// The requests of this attempt.
    var requests = 0
    /// What the body of this attempt is charged to.
    var account: BodyAccount?
    /// When the first request got its turn.
    var start: ContinuousClock.Instant?
    /// How long has been waited for later turns.
    var waited = Duration.zero
    /// The heads of this attempt's answers: those of redirects, then the last one.
    var heads: [StoredResponseHead] = []
    var requestTime = 0.0
    var cache = ExchangeDescription.CacheUse.none
  }

  private let state = Lock(State())
  private let onActivity: @Sendable (ItemActivity) -> Void

  /// - Parameter onActivity: told when a request gets its turn, and around the waits for turns.
  init(onActivity: @escaping @Sendable (ItemActivity) -> Void) {
    self.onActivity = onActivity
  }

  /// Waits until a host may be asked, which is none of the item's time.
  func waiting<Value>(_ wait: () async throws -> Value) async rethrows -> Value {
    let start = ContinuousClock.now
    onActivity(.waits)
    defer {
      state.withLock { if $0.start != nil { $0.waited += .now - start } }
      onActivity(.goesOn)
    }
    return try await wait()
  }

  /// Something is done before a request gets its turn.
  func begin() { onActivity(.begins) }

  func beginAttempt(_ account: BodyAccount) {
    state.withLock { state in
      state.account = account
      state.attempts += 1
      state.requests = 0
      state.heads = []
    }
  }

  func beginHop(to url: ResourceURL, at time: Double) {
    state.withLock { state in
      state.requests += 1
      state.requestTime = time
      state.status = nil
      state.url = url
      if state.start == nil { state.start = .now }
    }
    onActivity(.begins)
  }

  /// Something is read that is here already.
  func beginReading() {
    state.withLock { if $0.start == nil { $0.start = .now } }
    onActivity(.begins)
  }

  func received(_ response: HTTPResponse, at time: Double) {
    state.withLock { state in
      state.status = response.status
      state.heads.append(StoredResponseHead(response, requestTime: state.requestTime, responseTime: time))
    }
  }

  /// An answer is taken from the cache.
  func served(_ head: StoredResponseHead, _ use: ExchangeDescription.CacheUse, account: BodyAccount) {
    state.withLock { state in
      (state.url, state.status, state.cache, state.account) = (head.url, head.status, use, account)
      state.requests = 0
    }
  }

  /// What the cache does for the exchange.
  func noteCache(_ use: ExchangeDescription.CacheUse) {
    state.withLock { $0.cache = use }
  }

  /// The head of the last answer, and those of the redirects that led to it; nil where none came.
  var heads: (last: StoredResponseHead, redirects: [StoredResponseHead])? {
    state.withLock { state in state.heads.last.map { ($0, Array(state.heads.dropLast())) } }
  }

  /// What the body of the last attempt is charged to.
  var account: BodyAccount? { state.withLock { $0.account } }

  /// The time since the first request got its turn, without the waits for later ones.
  var elapsed: Duration { state.withLock { state in state.start.map { .now - $0 - state.waited } ?? .zero } }

  /// The redirects followed in this attempt.
  var hops: Int { state.withLock { max($0.requests - 1, 0) } }

  var isRedirected: Bool { hops > 0 }

  /// How it went; nil where nothing was asked.
  var description: ExchangeDescription? {
    state.withLock { state in
      state.url.map { ExchangeDescription(status: state.status, url: $0, attempts: state.attempts, cache: state.cache) }
    }
  }
}
