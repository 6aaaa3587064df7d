extension Fetcher {
  /// An answer, and whether redirects led to it when it was stored.
  struct Answer {
    var response: HTTPResponse
    var isRedirected = false
  }

  /// The answer to a request: the stored one where that may be used, else the origin's, which is stored where that may be.
  func answer(to request: HTTPRequest, remaking: Bool, trace: FetchTrace) async throws -> Answer {
    if cache.isEmpty, request.cache != .onlyIfCached {
      return Answer(response: try await exchange(request, trace: trace))
    }
    let stored = await cache.lookUp(request)
    let decision = policy.decision(for: request, stored: stored?.head, now: clock.wallTime, remaking: remaking)
    switch decision {
    case .notCached:
      throw PipelineError(
        .cache, .notCached, "only stored answers are wanted (cache: only-if-cached), and there is none")
    case .serve(let use):
      if let stored, let answer = try await serve(stored, use, trace: trace) { return answer }
      return try await fetchAndStore(request, adding: [:], trace: trace)
    case .revalidate(let fields):
      guard let stored else { return try await fetchAndStore(request, adding: fields, trace: trace) }
      return try await revalidate(stored, request, adding: fields, trace: trace)
    case .fetch(let fields):
      return try await fetchAndStore(request, adding: fields, trace: trace)
    }
  }

  /// A stored answer; nil where its body turns out not to be readable.
  private func serve(
    _ stored: CacheTiers.Answer, _ use: ExchangeDescription.CacheUse, trace: FetchTrace
  ) async throws -> Answer? {
    guard stored.byteCount <= options.maxBytes.bytes else {
      throw PipelineError(
        .cache, .bodyTooLarge, "the stored body is larger than the limit of \(options.maxBytes.bytes) bytes")
    }
    trace.beginReading()
    let account = budget.account()
    guard let bytes = try await cache.body(of: stored, chargedTo: account) else { return nil }
    trace.served(stored.head, use, account: account)
    return Answer(response: stored.head.response(with: bytes), isRedirected: stored.head.isRedirected)
  }

  /// Asks the origin whether a stored answer still holds.
  private func revalidate(
    _ stored: CacheTiers.Answer, _ request: HTTPRequest, adding fields: HTTPFields, trace: FetchTrace
  ) async throws -> Answer {
    let response = try await exchange(request.adding(fields), trace: trace)
    guard response.status == 304, let heads = trace.heads else {
      return Answer(response: try await store(response, request, trace: trace))
    }
    switch policy.update(stored.head, by: heads.last, to: request, redirects: heads.redirects) {
    case .store(let head):
      let updated = await cache.update(stored, to: head)
      if let answer = try await serve(updated, .revalidated, trace: trace) { return answer }
    case .useAndRemove(let head):
      let answer = try await serve(stored, .revalidated, trace: trace)
      await cache.remove(request)
      if var answer {
        answer.response.headers = head.headers
        return answer
      }
    case .mismatch: break
    }
    return try await fetchAndStore(request, adding: [:], trace: trace)
  }

  private func fetchAndStore(
    _ request: HTTPRequest, adding fields: HTTPFields, trace: FetchTrace
  ) async throws -> Answer {
    Answer(response: try await store(try await exchange(request.adding(fields), trace: trace), request, trace: trace))
  }

  /// Stores an answer where that may be, and hands it on.
  private func store(
    _ response: HTTPResponse, _ request: HTTPRequest, trace: FetchTrace
  ) async throws -> HTTPResponse {
    trace.noteCache(.miss)
    if let outdated = policy.invalidated(by: request, status: response.status) { await cache.remove(outdated) }
    // What ends with its connection may have been cut short.
    guard !response.isCloseDelimited, let heads = trace.heads else { return response }
    switch policy.storage(of: heads.last, to: request, redirects: heads.redirects) {
    case .store(let head):
      let bytes = try await response.body.collect(upTo: options.maxBytes.bytes)
      await cache.store(head, bytes, for: request)
    case .remove: await cache.remove(request)
    case .leave: break
    }
    return response
  }
}

extension HTTPRequest {
  /// The request with further header fields.
  fileprivate func adding(_ fields: HTTPFields) -> HTTPRequest {
    var request = self
    for field in fields { request.headers[field.name] = field.value }
    return request
  }
}
