/// The request builder `http`: method, headers, query, body, time limit, user agent and cache mode of every request.
public struct HTTPRequestBuilder: RequestBuilder {
  /// What is asked.
  public var method = Method.get
  /// Header fields that are set.
  public var headers = HTTPFields()
  /// Query parameters that are set, in place of those of the same name that the URL has.
  public var query = JSONObject()
  /// The body: text, or a value that is sent as JSON; nil for none.
  public var body: JSONValue?
  /// The longest that one attempt may take.
  public var timeout = Duration.seconds(30)
  /// The value of User-Agent.
  public var userAgent = PipelineVersion.product
  /// How caches are used.
  public var cache = CacheMode.default

  /// What can be asked.
  public enum Method: String, Sendable, CaseIterable, ConfigurationValue {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// A builder that sets the user agent alone.
  public init() {}

  /// Sets what was chosen.
  public func build(_ request: inout HTTPRequest, for item: ImageRequest) throws {
    guard let method = HTTPMethod(name: method.rawValue, body: requestBody) else {
      throw PipelineError(.request, .invalidInput, "a \(method.rawValue) cannot carry a body")
    }
    request.method = method
    request.headers["User-Agent"] = userAgent
    for field in headers { request.headers[field.name] = field.value }
    if !query.members.isEmpty { request.url = request.url.replacing(query: queryText(of: request.url)) }
    request.timeout = timeout
    request.cache = cache
  }

  private var requestBody: HTTPRequestBody? {
    switch body {
    case nil: nil
    case .string(let text): HTTPRequestBody(SharedBytes(utf8: text))
    case .some(let value): HTTPRequestBody(SharedBytes(value.encoded()), contentType: "application/json")
    }
  }

  private func queryText(of url: ResourceURL) -> String {
    let names = Set(query.members.map { PercentEncoding.encode($0.name.utf8, allowing: .parameter) })
    let kept = url.query?.split(separator: "&").filter { part in
      let name = PercentEncoding.decode(part.prefix { $0 != "=" }.utf8)
      return !names.contains(PercentEncoding.encode(name, allowing: .parameter))
    }
    let added = query.members.map { member in
      let value = if case .string(let text) = member.value { text } else { member.value.compactText }
      return "\(PercentEncoding.encode(member.name.utf8, allowing: .parameter))="
        + PercentEncoding.encode(value.utf8, allowing: .parameter)
    }
    return ((kept ?? []).map(String.init) + added).joined(separator: "&")
  }
}

extension HTTPRequestBuilder: Stage {
  /// It is a stage of that slot.
  public typealias Slot = RequestSlot
  /// What configurations call it.
  public static let name = "http"
  /// What it does.
  public static let summary =
    "sets method, headers, query, body, time limit, user agent and cache mode of every request"

  /// Its options.
  public static let options: [OptionDeclaration<HTTPRequestBuilder>] = [
    .init("method", \.method, "what is asked"),
    .init("headers", \.headers, "header fields of every request"),
    .init("query", \.query, "query parameters, in place of those of the same name") { query in
      let isPlain = query.members.allSatisfy { member in
        switch member.value {
        case .string, .number, .bool: true
        default: false
        }
      }
      return isPlain ? nil : "a parameter is text, a number or a boolean"
    },
    .init("body", \.body, "the body: text, or a value that is sent as JSON"),
    .init("timeout", \.timeout, "the longest that one attempt may take"),
    .init("userAgent", \.userAgent, "the value of User-Agent"),
    .init("cache", \.cache, "how caches are used, in the words of the Fetch standard"),
  ]

  /// Notes a body that does not go with the method, and what cannot be sent.
  public func validate(in scope: ConfigurationScope) {
    if body != nil, HTTPMethod(name: method.rawValue, body: .empty) == nil {
      scope.member("body").report("a \(method.rawValue) carries no body; \"method\" can name another: POST, PUT, PATCH")
    }
    if !HTTPFields.isValid(name: "User-Agent", value: userAgent) {
      scope.member("userAgent").report("holds a control character")
    }
  }

  /// The stage itself.
  public func make(in context: StageContext) -> any RequestBuilder { self }
}

extension HTTPFields: ConfigurationValue {
  /// What it is called, and which JSON it accepts.
  public static var configurationType: ConfigurationType {
    ConfigurationType("header fields", schema: ["type": "object", "additionalProperties": ["type": "string"]])
  }

  /// The value that JSON writes.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> HTTPFields? {
    guard case .object(let object) = json else {
      scope.reportMismatch(json, expected: "an object of header names and values")
      return nil
    }
    var fields = HTTPFields()
    let before = scope.problems.count
    for member in object.members {
      let place = scope.member(member.name)
      guard let expanded = place.expanding(member.value), let value = String.read(expanded, in: place) else { continue }
      if HTTPFields.isValid(name: member.name, value: value) {
        fields.append(Field(member.name, value))
      } else {
        place.report("not a header field that can be sent (RFC 9110, section 5)")
      }
    }
    return scope.problems.count == before ? fields : nil
  }

  /// As a configuration writes it.
  public var json: JSONValue {
    .object(JSONObject(map { JSONObject.Member(name: $0.name, value: .string($0.value)) }))
  }
}
