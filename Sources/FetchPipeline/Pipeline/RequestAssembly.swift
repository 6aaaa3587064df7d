/// Makes the request that is sent for an item: a GET of its URL, what the builders make of it, and the item's own wishes.
struct RequestAssembly: Sendable {
  let builders: [any RequestBuilder]

  func request(for item: ImageRequest) throws -> HTTPRequest {
    var request = HTTPRequest(.get, item.url)
    if let credentials = Self.credentials(of: item.url) {
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
    return "Basic " + base64("\(user):\(url.password ?? "")".utf8)
  }

  /// RFC 4648, section 4.
  private static func base64(_ bytes: some Collection<UInt8>) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var output: [UInt8] = []
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let group = rest.prefix(3)
      rest = rest.dropFirst(3)
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        output.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
