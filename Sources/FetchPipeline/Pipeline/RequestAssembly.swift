/// Makes the request that is sent for an item: a GET of its URL, what the builders make of it, and the item's own wishes.
struct RequestAssembly: Sendable {
  let builders: [any RequestBuilder]

  /// The request for an item at a URL.
  func request(for item: ImageRequest, at url: ResourceURL) throws -> HTTPRequest {
    var request = HTTPRequest(.get, url)
    request.addCredentials()
    for builder in builders {
      do { try builder.build(&request, for: item) } catch { throw PipelineError(error, at: .request) }
    }
    if let method = item.method {
      request.method = method
    } else if let body = item.body {
      guard let method = HTTPMethod(name: request.method.name, body: body) else {
        throw PipelineError(
          .input, .invalidInput, "a \(request.method.name) carries no body; the row's \"method\" can name another")
      }
      request.method = method
    }
    for field in item.headers { request.headers[field.name] = field.value }
    if let cache = item.cache { request.cache = cache }
    try request.completeFields()
    return request
  }
}
