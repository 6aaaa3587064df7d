extension CachePolicy {
  /// What becomes of an answer that has come whole (RFC 9111, section 3).
  ///
  /// Ask only about a body whose end is known to have been reached; what was cut short is never stored.
  ///
  /// - Parameters:
  ///   - head: the answer's head, as received.
  ///   - request: the request as its key sees it: without the fields that a decision added.
  ///   - redirects: the heads of the redirects that led to it. What is stored answers the first request, and is fresh
  ///     no longer than the shortest-lived of them.
  public func storage(
    of head: StoredResponseHead, to request: HTTPRequest, redirects: [StoredResponseHead] = []
  ) -> CacheStorage {
    guard Self.concerns(request), request.cache != .noStore, !CacheControl(request.headers).noStore else {
      return .leave
    }
    guard head.status >= 200, head.status != 206, head.status != 304, !Self.isTransient(head.status) else {
      return .leave
    }
    guard mayStore(head), redirects.allSatisfy(mayStore) else { return .remove }
    guard Self.heuristicStatuses.contains(head.status) || (explicitLifetime(of: head) ?? 0) > 0 else { return .remove }
    var stored = head
    stored.headers.removeAll { Self.isHopByHop($0.name, in: head.headers) }
    stored.variant = Self.variant(of: stored.headers, request)
    stored.redirectsFreshUntil = redirects.map(redirectFreshUntil).min()
    return .store(stored)
  }

  /// What a 304 makes of the stored answer that was asked about (RFC 9111, sections 3.2, 4.3.3 and 4.3.4).
  ///
  /// - Parameters:
  ///   - stored: the stored head whose validators were sent.
  ///   - notModified: the head of the 304, as received.
  ///   - request: the request as its key sees it.
  ///   - redirects: the heads of the redirects that led to the 304.
  public func update(
    _ stored: StoredResponseHead, by notModified: StoredResponseHead, to request: HTTPRequest,
    redirects: [StoredResponseHead] = []
  ) -> CacheUpdate {
    guard Self.speaks(notModified, of: stored, isRedirected: !redirects.isEmpty) else { return .mismatch }
    var head = stored
    // They are about the answer that brought them: an age of the first one would be counted again.
    head.headers.removeAll { $0.name.equalsIgnoringASCIICase("Age") || $0.name.equalsIgnoringASCIICase("Date") }
    var replaced: Set<String> = []
    for field in notModified.headers where !Self.isHopByHop(field.name, in: notModified.headers) {
      let name = field.name.lowercased()
      if Self.describesBody(name) { continue }
      if replaced.insert(name).inserted { head.headers.removeAll { $0.name.equalsIgnoringASCIICase(name) } }
      head.headers.append(field)
    }
    head.requestTime = notModified.requestTime
    head.responseTime = notModified.responseTime
    head.variant = Self.variant(of: head.headers, request)
    head.redirectsFreshUntil = redirects.map(redirectFreshUntil).min()
    return mayStore(head) && redirects.allSatisfy(mayStore) ? .store(head) : .useAndRemove(head)
  }

  private func mayStore(_ head: StoredResponseHead) -> Bool {
    let terms = CacheControl(head.headers)
    // `must-understand` puts `no-store` out of force for those who know the status (RFC 9111, section 5.2.2.3).
    let isUnderstood = terms.mustUnderstand && (Self.heuristicStatuses.contains(head.status) || head.status == 404)
    return (!terms.noStore || isUnderstood) && !Self.variesByAnything(head.headers)
  }

  /// Whether a 304 confirms this answer and not another one of the same URL, or one of another URL.
  private static func speaks(
    _ notModified: StoredResponseHead, of stored: StoredResponseHead, isRedirected: Bool
  ) -> Bool {
    // A validator means something for its own URL only. (Where no redirect is about, the URL is the request's.)
    if stored.isRedirected || isRedirected, notModified.url != stored.url { return false }
    if let theirs = notModified.headers["ETag"], let ours = stored.headers["ETag"] {
      return strong(theirs) == strong(ours)
    }
    guard let theirs = notModified.headers["Last-Modified"], let ours = stored.headers["Last-Modified"] else {
      return true
    }
    if theirs == ours { return true }
    // Unmodified since the time that was sent, so at most as old as that.
    let now = notModified.responseTime
    guard let theirs = HTTPDate.seconds(theirs, now: now), let ours = HTTPDate.seconds(ours, now: now) else {
      return false
    }
    return theirs <= ours
  }

  /// An entity tag without the mark of a weak one: conditions of If-None-Match compare weakly (RFC 9110, section
  /// 8.8.3.2).
  private static func strong(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }

  /// Fields that are about one connection and not kept (RFC 9111, section 3.1; RFC 9110, section 7.6.1).
  private static func isHopByHop(_ name: String, in headers: HTTPFields) -> Bool {
    let name = name.lowercased()
    return hopByHop.contains(name)
      || headers.values("Connection").contains { list in
        list.split(separator: ",").contains { String($0).trimmed.equalsIgnoringASCIICase(name) }
      }
  }

  private static let hopByHop: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Fields that describe the stored bytes, which a 304 does not bring (RFC 9111, section 3.2).
  private static func describesBody(_ name: String) -> Bool {
    ["content-encoding", "content-length", "content-range", "content-type"].contains(name)
  }
}
