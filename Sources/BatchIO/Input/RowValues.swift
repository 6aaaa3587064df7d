import FetchPipeline

/// The named values of a row, sorted by what they mean.
struct RowValues {
  /// The URL, where there is one and it is text.
  private(set) var url: String?
  /// The row's own name, where it has one.
  private(set) var id: String?
  /// What means nothing to the pipeline, in order.
  private(set) var fields: JSONObject = [:]

  /// The row as a row of JSON Lines.
  private(set) var readable: JSONObject = [:]

  private let urlField: String
  private let idField: String
  private var method: JSONValue?
  private var headers: JSONValue?
  private var body: JSONValue?
  private var cache: JSONValue?
  private var problem: String?

  /// The names of what a row can ask for.
  private static let wishes: Set<String> = ["method", "headers", "body", "cache"]

  /// Sorts the members of an object; of those with one name the first counts.
  init(_ object: JSONObject, urlField: String, idField: String) {
    self.init(object, wishes: Self.wishes, urlField: urlField, idField: idField)
    readable = object
  }

  /// Sorts the values of columns, which are all text. In a table from elsewhere a column may well be called `body`: one
  /// that has the name of a wish is one only where its value is (JSON for `headers`, a `body` beside a method with one).
  init(columns: JSONObject, urlField: String, idField: String) {
    var columns = columns
    var wishes: Set<String> = []
    for index in columns.members.indices {
      guard case .string(let text) = columns.members[index].value else { continue }
      switch columns.members[index].name {
      case "method" where HTTPMethod(name: text.uppercased(), body: nil) != nil: wishes.insert("method")
      case "cache" where CacheMode(rawValue: text) != nil: wishes.insert("cache")
      case "headers":
        guard case .object(let fields)? = try? JSONReader.value(of: text.utf8) else { continue }
        columns.members[index].value = .object(fields)
        wishes.insert("headers")
      default: break
      }
    }
    if wishes.contains("method"), case .string(let name)? = columns["method"],
      HTTPMethod(name: name.uppercased(), body: .empty) != nil
    {
      wishes.insert("body")
    }
    self.init(columns, wishes: wishes, urlField: urlField, idField: idField)
    // What only looks like a wish must not become one where the row is read again.
    readable = JSONObject(
      columns.members.filter { member in
        !Self.wishes.contains(member.name) || wishes.contains(member.name) || [urlField, idField].contains(member.name)
      })
  }

  private init(_ object: JSONObject, wishes: Set<String>, urlField: String, idField: String) {
    self.urlField = urlField
    self.idField = idField
    var seen: Set<String> = []
    for member in object.members where seen.insert(member.name).inserted {
      switch member.name {
      case urlField: takeURL(member.value)
      case idField: takeID(member.value)
      case "method" where wishes.contains("method"): method = member.value.unlessNull
      case "headers" where wishes.contains("headers"): headers = member.value.unlessNull
      case "body" where wishes.contains("body"): body = member.value.unlessNull
      case "cache" where wishes.contains("cache"): cache = member.value.unlessNull
      default: fields.append(member.name, member.value)
      }
    }
    if object[urlField] == nil {
      let hint = NearestName.hint(for: urlField, among: object.members.map(\.name))
      problem = "the row has no \"\(urlField)\"" + (hint.contains("did you mean") ? hint : "")
    }
  }

  /// The URL.
  ///
  /// - Throws: `invalid-input` where there is none, or the row's name is none.
  func requireURL() throws -> String {
    if let problem { throw PipelineError(.input, .invalidInput, problem) }
    return url ?? ""
  }

  /// What the row asks for.
  ///
  /// - Throws: `invalid-input`.
  func request(at location: ResourceLocation) throws -> ImageRequest {
    let body = body.map { value in
      switch value {
      case .string(let text): HTTPRequestBody(SharedBytes(utf8: text))
      default: HTTPRequestBody(SharedBytes(value.encoded()), contentType: "application/json")
      }
    }
    var request = ImageRequest(location, headers: try fieldLines(), cache: try cacheMode())
    if let method {
      request.method = try Self.method(method, body)
    } else {
      request.body = body
    }
    return request
  }

  private mutating func takeURL(_ value: JSONValue) {
    if case .string(let text) = value {
      url = text
    } else {
      problem = problem ?? "\"\(urlField)\" is \(value.kind), not a string"
    }
  }

  private mutating func takeID(_ value: JSONValue) {
    switch value {
    case .string(let text): id = text.isEmpty ? nil : text
    case .number(let number): id = number.text
    case .null: break
    default: problem = problem ?? "\"\(idField)\" is \(value.kind), not a string or a number"
    }
  }

  private static func method(_ value: JSONValue, _ body: HTTPRequestBody?) throws -> HTTPMethod {
    guard case .string(let name) = value, let plain = HTTPMethod(name: name.uppercased(), body: nil) else {
      throw PipelineError(
        .input, .invalidInput,
        "\"method\": \(value.compactText.prefix(60)) is not GET, HEAD, POST, PUT, PATCH or DELETE")
    }
    guard let method = HTTPMethod(name: plain.name, body: body) else {
      throw PipelineError(.input, .invalidInput, "\"method\": a \(plain.name) carries no \"body\"")
    }
    return method
  }

  private func cacheMode() throws -> CacheMode? {
    guard let cache else { return nil }
    guard case .string(let word) = cache, let mode = CacheMode(rawValue: word) else {
      throw PipelineError(
        .input, .invalidInput,
        "\"cache\": \(cache.compactText.prefix(60)) is not \(CacheMode.configurationType.name)")
    }
    return mode
  }

  private func fieldLines() throws -> HTTPFields {
    guard let headers else { return [:] }
    guard case .object(let object) = headers else {
      throw PipelineError(.input, .invalidInput, "\"headers\" is \(headers.kind), not an object")
    }
    var fields: HTTPFields = [:]
    for member in object.members {
      let values = if case .array(let list) = member.value { list } else { [member.value] }
      for value in values {
        let text: String? =
          switch value {
          case .string(let text): text
          case .number(let number): number.text
          default: nil
          }
        guard let text, HTTPFields.isValid(name: member.name, value: text) else {
          throw PipelineError(
            .input, .invalidInput, "\"headers\": the field \"\(member.name.prefix(60))\" cannot be sent")
        }
        fields.append(HTTPFields.Field(member.name, text))
      }
    }
    return fields
  }
}

extension JSONValue {
  fileprivate var unlessNull: JSONValue? { self == .null ? nil : self }
}
