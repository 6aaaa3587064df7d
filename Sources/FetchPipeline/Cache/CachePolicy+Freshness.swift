extension CachePolicy {
  /// How old an answer is at `now`, in seconds (RFC 9111, section 4.2.3).
  public func age(of head: StoredResponseHead, now: Double) -> Double {
    initialAge(of: head) + max(now - head.responseTime, 0)
  }

  /// How long an answer is fresh from its birth, in seconds (RFC 9111, section 4.2.1): by `max-age`, else by Expires,
  /// else by a guess from Last-Modified.
  public func lifetime(of head: StoredResponseHead) -> Double {
    if let explicit = explicitLifetime(of: head) { return explicit }
    guard Self.heuristicStatuses.contains(head.status),
      let modified = date("Last-Modified", of: head), modified < dateValue(of: head)
    else { return 0 }
    return min((dateValue(of: head) - modified) * heuristicFraction, longestHeuristic)
  }

  /// Until when an answer is fresh, with the redirects that led to it.
  public func freshUntil(_ head: StoredResponseHead) -> Double {
    let own = head.responseTime + lifetime(of: head) - initialAge(of: head)
    return min(own, head.redirectsFreshUntil ?? own)
  }

  /// Whether an answer is fresh: its lifetime is longer than its age. It is not where the clock has gone back, since
  /// then nobody can tell.
  public func isFresh(_ head: StoredResponseHead, now: Double) -> Bool {
    now < freshUntil(head) && now > head.responseTime - clockTolerance
  }

  /// Until when a redirect may be followed from memory. One that is not permanent needs an explicit lifetime (RFC 9110,
  /// section 15.4).
  func redirectFreshUntil(_ head: StoredResponseHead) -> Double {
    let isPermanent = head.status == 301 || head.status == 308
    let directives = CacheControl(head.headers)
    let lifetime =
      directives.noCache ? 0 : explicitLifetime(of: head) ?? (isPermanent ? longestHeuristic : 0)
    return head.responseTime + lifetime - initialAge(of: head)
  }

  /// The lifetime that an answer states, in seconds; nil where it states none.
  func explicitLifetime(of head: StoredResponseHead) -> Double? {
    if let maxAge = CacheControl(head.headers).maxAge { return maxAge }
    // What is no date has expired (RFC 9111, section 5.3): "0", most of all.
    guard head.headers["Expires"] != nil else { return nil }
    return date("Expires", of: head).map { max($0 - dateValue(of: head), 0) } ?? 0
  }

  private func initialAge(of head: StoredResponseHead) -> Double {
    let apparent = max(head.responseTime - dateValue(of: head), 0)
    let received = CacheControl.seconds(head.headers["Age"].map { $0.prefix { $0 != "," } }.map { String($0).trimmed })
    return max(apparent, (received ?? 0) + max(head.responseTime - head.requestTime, 0))
  }

  /// When an answer says that it was made; where it does not, when it was received (RFC 9110, section 6.6.1).
  private func dateValue(of head: StoredResponseHead) -> Double {
    date("Date", of: head) ?? head.responseTime
  }

  private func date(_ name: String, of head: StoredResponseHead) -> Double? {
    head.headers[name].flatMap { HTTPDate.seconds($0, now: head.responseTime) }
  }
}
