/// The request builder `http`: headers, user agent, time limit and cache mode for every request.
public struct HTTPRequestBuilder: RequestBuilder {
  /// Header fields that are set.
  public var headers = HTTPFields()
  /// The longest that one attempt may take.
  public var timeout = Duration.seconds(30)
  /// The value of User-Agent.
  public var userAgent = PipelineVersion.product

  /// A builder that sets the user agent alone.
  public init() {}

  /// Sets what was chosen.
  public func build(_ request: inout HTTPRequest, for item: ImageRequest) {
    request.headers["User-Agent"] = userAgent
    for field in headers { request.headers[field.name] = field.value }
    request.timeout = timeout
  }
}

extension HTTPRequestBuilder: Stage {
  /// It is a stage of that slot.
  public typealias Slot = RequestSlot
  /// What configurations call it.
  public static let name = "http"
  /// What it does.
  public static let summary = "sets headers, user agent and time limit of every request"

  /// Its options.
  public static let options: [OptionDeclaration<HTTPRequestBuilder>] = [
    .init("headers", \.headers, "header fields of every request"),
    .init("timeout", \.timeout, "the longest that one attempt may take"),
    .init("userAgent", \.userAgent, "the value of User-Agent"),
  ]

  /// Notes what options together make wrong.
  public func validate(in scope: ConfigurationScope) {
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
