extension Fetcher {
  /// The whole answer to a request, whatever its status. It is the caller's: from here on it takes nothing of the budget, so
  /// that who keeps answers holds nobody up.
  func response(to request: HTTPRequest, trace: FetchTrace) async throws -> ReceivedResponse {
    let response = try await answer(to: request, remaking: false, trace: trace).response
    let bytes = try await response.body.collect(upTo: options.maxBytes.bytes)
    bytes.charge(to: HandedOver.token)
    return ReceivedResponse(
      status: response.status, headers: response.headers, url: response.url, body: bytes,
      isCloseDelimited: response.isCloseDelimited, exchange: trace.description)
  }
}

/// What bodies are charged to that are nobody's here any more.
private final class HandedOver: Sendable {
  static let token = HandedOver()
}
