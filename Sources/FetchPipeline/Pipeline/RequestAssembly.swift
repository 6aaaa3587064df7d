/// Makes the request that is sent for an item: a GET of its URL, what the builders make of it, and the item's own wishes.
struct RequestAssembly: Sendable {
  let builders: [any RequestBuilder]

  /// The request for an item at a URL.
  func request(for item: ImageRequest, at url: ResourceURL) throws -> HTTPRequest {
    var request = HTTPRequest(.get, url)
    if let credentials = Self.credentials(of: url) {
      request.headers.append(HTTPFields.Field("Authorization", credentials, isSensitive: true))
    }
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
    if let type = request.method.body?.contentType, request.headers["Content-Type"] == nil {
      request.headers["Content-Type"] = type
    }
    for field in request.headers where !HTTPFields.isValid(name: field.name, value: field.value) {
      throw PipelineError(.request, .invalidInput, "the header field \"\(field.name.prefix(60))\" cannot be sent")
    }
    return request
  }

  /// Basic credentials of a URL with a user name (RFC 7617).
  private static func credentials(of url: ResourceURL) -> String? {
    guard let user = url.user, !user.isEmpty || url.password != nil else { return nil }
    return "Basic " + Base64.encode("\(user):\(url.password ?? "")".utf8)
  }
}
