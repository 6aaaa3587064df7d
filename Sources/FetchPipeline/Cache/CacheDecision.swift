/// What a stored answer, or its absence, means for a request.
public enum CacheDecision: Sendable, Hashable {
  /// Answer from the store: `.hit` where the answer is fresh, `.stale` where the request takes it all the same.
  case serve(ExchangeDescription.CacheUse)
  /// Ask the origin whether the stored answer still holds, with these fields added to the request. A 304 goes to
  /// `CachePolicy.update`; any other answer is an answer like others.
  case revalidate(HTTPFields)
  /// Ask the origin, with these fields added to the request.
  case fetch(HTTPFields)
  /// The request wants no network, and nothing is stored: error `not-cached`.
  case notCached
}

/// What becomes of an answer that has come.
public enum CacheStorage: Sendable, Hashable {
  /// Store it, under this head.
  case store(StoredResponseHead)
  /// Do not store it; what is stored for the request is outdated and goes.
  case remove
  /// Do not store it; what is stored stays.
  case leave
}

/// What a 304 makes of the stored answer that was asked about.
public enum CacheUpdate: Sendable, Hashable {
  /// It holds, under this head, which takes the place of the stored one.
  case store(StoredResponseHead)
  /// It holds this once, under this head, and must not be kept any longer.
  case useAndRemove(StoredResponseHead)
  /// The 304 speaks of another representation: the request is to be sent again without conditions.
  case mismatch
}
