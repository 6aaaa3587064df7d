// Requests as a call site writes them: `try await client.send(.post(url, json: …))`.
extension HTTPRequest {
  /// A GET of `url`.
  ///
  /// - Parameters:
  ///   - url: where, as a `ResourceURL` or as text.
  ///   - query: parameters that are added to those of the URL.
  ///   - headers: the header fields.
  ///   - timeout: the longest that one attempt may take.
  ///   - cache: how caches are used.
  /// - Throws: `unsupported-scheme`, `invalid-input` where `url` is none that can be asked, as do all of these.
  public static func get(
    _ url: some ResourceURLConvertible, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30), cache: CacheMode = .default
  ) throws -> HTTPRequest {
    HTTPRequest(.get, try url.resourceURL().appending(query), headers: headers, timeout: timeout, cache: cache)
  }

  /// A HEAD of `url`: the answer has no body.
  public static func head(
    _ url: some ResourceURLConvertible, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    HTTPRequest(.head, try url.resourceURL().appending(query), headers: headers, timeout: timeout)
  }

  /// A DELETE of `url`.
  public static func delete(
    _ url: some ResourceURLConvertible, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    HTTPRequest(.delete, try url.resourceURL().appending(query), headers: headers, timeout: timeout)
  }

  /// A POST of `body` to `url`. It is sent once: whether it has had its effect nobody can tell who got no answer.
  public static func post(
    _ url: some ResourceURLConvertible, body: HTTPRequestBody = .empty, query: HTTPParameters = [:],
    headers: HTTPFields = [:], timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    HTTPRequest(.post(body), try url.resourceURL().appending(query), headers: headers, timeout: timeout)
  }

  /// A POST of a JSON value.
  public static func post(
    _ url: some ResourceURLConvertible, json: JSONValue, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try post(url, body: .json(json), query: query, headers: headers, timeout: timeout)
  }

  /// A POST of a form.
  public static func post(
    _ url: some ResourceURLConvertible, form: HTTPParameters, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try post(url, body: .form(form), query: query, headers: headers, timeout: timeout)
  }

  /// A PUT of `body`: it takes the place of what is at `url`.
  public static func put(
    _ url: some ResourceURLConvertible, body: HTTPRequestBody, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    HTTPRequest(.put(body), try url.resourceURL().appending(query), headers: headers, timeout: timeout)
  }

  /// A PUT of a JSON value.
  public static func put(
    _ url: some ResourceURLConvertible, json: JSONValue, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try put(url, body: .json(json), query: query, headers: headers, timeout: timeout)
  }

  /// A PATCH of `body`: it changes what is at `url`. It is sent once, as a POST is.
  public static func patch(
    _ url: some ResourceURLConvertible, body: HTTPRequestBody, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    HTTPRequest(.patch(body), try url.resourceURL().appending(query), headers: headers, timeout: timeout)
  }

  /// A PATCH of a JSON value.
  public static func patch(
    _ url: some ResourceURLConvertible, json: JSONValue, query: HTTPParameters = [:], headers: HTTPFields = [:],
    timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try patch(url, body: .json(json), query: query, headers: headers, timeout: timeout)
  }
}

extension HTTPRequestBody {
  /// A JSON value, on one line.
  public static func json(_ value: JSONValue) -> HTTPRequestBody {
    HTTPRequestBody(SharedBytes(value.encoded()), contentType: "application/json")
  }

  /// The fields of a form.
  public static func form(_ fields: HTTPParameters) -> HTTPRequestBody {
    HTTPRequestBody(SharedBytes(utf8: fields.formText), contentType: "application/x-www-form-urlencoded")
  }

  /// Text, UTF-8.
  public static func text(_ text: String) -> HTTPRequestBody {
    HTTPRequestBody(SharedBytes(utf8: text), contentType: "text/plain; charset=utf-8")
  }
}
