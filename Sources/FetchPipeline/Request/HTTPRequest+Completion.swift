extension HTTPRequest {
  /// Adds the user and password of the URL as Basic credentials (RFC 7617), unless there are some already.
  mutating func addCredentials() {
    guard headers["Authorization"] == nil, let user = url.user, !user.isEmpty || url.password != nil else { return }
    let credentials = Base64.encode("\(user):\(url.password ?? "")".utf8)
    headers.append(HTTPFields.Field("Authorization", "Basic \(credentials)", isSensitive: true))
  }

  /// Adds the media type of the body, where the request does not say it otherwise. Throws `invalid-input` where a header
  /// field cannot be sent.
  mutating func completeFields() throws {
    if let type = method.body?.contentType, headers["Content-Type"] == nil { headers["Content-Type"] = type }
    for field in headers where !HTTPFields.isValid(name: field.name, value: field.value) {
      throw PipelineError(.request, .invalidInput, "the header field \"\(field.name.prefix(60))\" cannot be sent")
    }
  }
}
