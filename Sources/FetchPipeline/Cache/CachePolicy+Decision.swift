extension CachePolicy {
  /// What a look-up means for a request.
  ///
  /// - Parameters:
  ///   - request: the request, with its cache mode; directives in a Cache-Control of its own are heeded in mode
  ///     `default` (RFC 9111, section 5.2.1).
  ///   - stored: the head of what is stored under the request's key; nil where nothing is.
  ///   - now: seconds since 1970.
  ///   - remaking: whether bytes are wanted to make something else of what was fetched before: any stored answer that
  ///     has some will do, however old and whatever the mode.
  public func decision(
    for request: HTTPRequest, stored: StoredResponseHead?, now: Double, remaking: Bool = false
  ) -> CacheDecision {
    guard Self.concerns(request) else { return request.cache == .onlyIfCached ? .notCached : .fetch([:]) }
    let stored = stored.flatMap { Self.matches($0, request) ? $0 : nil }
    if remaking, let stored, (200..<300).contains(stored.status) { return serve(stored, now: now) }

    switch request.cache {
    case .noStore, .reload: return .fetch(Self.forwarded(["Cache-Control": "no-cache", "Pragma": "no-cache"], request))
    case .forceCache: return stored.map { serve($0, now: now) } ?? .fetch([:])
    case .onlyIfCached: return stored.map { serve($0, now: now) } ?? .notCached
    case .noCache:
      let fields = Self.forwarded(["Cache-Control": "max-age=0"], request)
      return stored.map { revalidation(of: $0, adding: fields) } ?? .fetch(fields)
    case .default: return decisionByDirectives(for: request, stored: stored, now: now)
    }
  }

  private func decisionByDirectives(
    for request: HTTPRequest, stored: StoredResponseHead?, now: Double
  ) -> CacheDecision {
    var wishes = CacheControl(request.headers)
    if request.headers["Cache-Control"] == nil, request.headers["Pragma"]?.lowercased().contains("no-cache") == true {
      wishes.noCache = true
    }
    let elsewhere = wishes.onlyIfCached ? CacheDecision.notCached : .fetch([:])
    guard let stored, !wishes.noStore else { return elsewhere }
    let terms = CacheControl(stored.headers)
    let fresh = isFresh(stored, now: now)
    let isYoungEnough = wishes.maxAge.map { age(of: stored, now: now) <= $0 } ?? true
    if !wishes.noCache, !terms.noCache, isYoungEnough {
      let freshUntil = freshUntil(stored)
      if fresh, now + (wishes.minFresh ?? 0) <= freshUntil { return .serve(.hit) }
      if !fresh, !terms.mustRevalidate, let stale = wishes.maxStale, now - freshUntil <= stale { return .serve(.stale) }
    }
    return wishes.onlyIfCached ? .notCached : revalidation(of: stored, adding: [:])
  }

  private func serve(_ stored: StoredResponseHead, now: Double) -> CacheDecision {
    .serve(isFresh(stored, now: now) && !CacheControl(stored.headers).noCache ? .hit : .stale)
  }

  /// A conditional request where the stored answer has a validator (RFC 9111, section 4.3.1), else a plain one.
  private func revalidation(of stored: StoredResponseHead, adding fields: HTTPFields) -> CacheDecision {
    var fields = fields
    var isConditional = false
    for (validator, condition) in [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")] {
      guard let value = stored.headers[validator], !value.isEmpty,
        HTTPFields.isValid(name: condition, value: value)
      else { continue }
      fields[condition] = value
      isConditional = true
    }
    return isConditional ? .revalidate(fields) : .fetch(fields)
  }

  /// The fields by which caches on the way learn of the request's mode (Fetch standard, "HTTP-network-or-cache fetch"),
  /// where the request does not speak for itself.
  private static func forwarded(_ fields: HTTPFields, _ request: HTTPRequest) -> HTTPFields {
    var fields = fields
    fields.removeAll { request.headers[$0.name] != nil }
    return fields
  }

  /// Whether a stored answer is one to this request: the fields that Vary names have the same values (RFC 9111,
  /// section 4.1).
  static func matches(_ stored: StoredResponseHead, _ request: HTTPRequest) -> Bool {
    stored.variant == variant(of: stored.headers, request) && !variesByAnything(stored.headers)
  }

  /// What stands for the values of the fields that Vary names; nil where it names none.
  static func variant(of headers: HTTPFields, _ request: HTTPRequest) -> Digest? {
    let names = Set(varyNames(of: headers)).sorted()
    guard !names.isEmpty else { return nil }
    var print = Fingerprint("vary")
    for name in names {
      let values = request.headers.values(name)
      if values.isEmpty {
        print.addNone(name)
      } else {
        print.add(name, values.map(\.trimmed).joined(separator: ", "))
      }
    }
    return print.digest()
  }

  static func variesByAnything(_ headers: HTTPFields) -> Bool { varyNames(of: headers).contains("*") }

  private static func varyNames(of headers: HTTPFields) -> [String] {
    headers.values("Vary").flatMap { $0.split(separator: ",").map { String($0).trimmed.lowercased() } }
      .filter { !$0.isEmpty }
  }
}
