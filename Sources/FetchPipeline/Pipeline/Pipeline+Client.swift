extension Pipeline {
  /// Asks servers for something else than pictures, over the pipeline's own transport: hosts see one asker, with one pace,
  /// one memory of what fails, one cache.
  ///
  /// A middleware goes through itself when it asks by the client of its own pipeline: it needs a client of its own.
  public var client: HTTPClient {
    HTTPClient(maker.fetcher, time: configuration.limits.itemTime, isOwner: false)
  }
}
