import FetchPipeline

/// Words the error for an answer that is not what it was taken for.
struct DecodingFailure {
  private let response: ReceivedResponse
  private let type: Any.Type

  init(_ response: ReceivedResponse, _ type: Any.Type) {
    self.response = response
    self.type = type
  }

  /// `response-decoding`, or `body-truncated` where the body may have been cut.
  func error(of cause: any Error) -> PipelineError {
    guard let cause = cause as? DecodingError else { return error(Self.plain("\(cause)"), underlying: cause) }
    switch cause {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return error(
        "at \(CodingPath.text(context.codingPath)): \(Self.plain(context.debugDescription))", underlying: cause)
    case .keyNotFound(let key, let context):
      let place = CodingPath.text(context.codingPath + [key])
      return error("at \(place): there is no such member", underlying: cause)
    case .dataCorrupted(let context):
      // Of text that is no JSON, our own reader says where it goes wrong.
      guard context.codingPath.isEmpty, let flaw = syntaxError else {
        return error(
          "at \(CodingPath.text(context.codingPath)): \(Self.plain(context.debugDescription))", underlying: cause)
      }
      let place = "line \(flaw.line), column \(flaw.column): \(flaw.message)"
      guard response.isCloseDelimited else { return error("the body is no JSON: \(place)", underlying: cause) }
      return PipelineError(
        .transport, .bodyTruncated,
        "the body is no whole JSON, and it ended with its connection: \(place) (\(details))",
        httpStatus: response.status, underlying: cause)
    @unknown default: return error(Self.plain("\(cause)"), underlying: cause)
    }
  }

  /// `response-decoding` with what else is known of the answer.
  func error(_ reason: String, underlying: (any Error)? = nil) -> PipelineError {
    PipelineError(
      .transport, .responseDecoding, "the answer is no \(type): \(reason) (\(details))", httpStatus: response.status,
      underlying: underlying)
  }

  /// What a decoder says, which may quote the answer.
  private static func plain(_ text: String) -> String { BodyExcerpt.escaped(BodyExcerpt.masked(text), limit: 200) }

  /// Why the body is no JSON at all; nil where it is.
  private var syntaxError: JSONReader.SyntaxError? {
    response.body.withUnsafeBytes { bytes in
      do throws(JSONReader.SyntaxError) { _ = try JSONReader.value(of: bytes) } catch { return error }
      return nil
    }
  }

  private var details: String {
    var text = "status \(response.status), "
    text +=
      response.headers["Content-Type"].map { "Content-Type \(BodyExcerpt.escaped($0, limit: 100))" }
      ?? "no Content-Type"
    if let excerpt = BodyExcerpt.text(of: response.body) { text += ", \(excerpt)" }
    return text
  }
}

/// A place in a JSON value as a reader writes it: `items[2].size`.
enum CodingPath {
  static func text(_ path: [any CodingKey]) -> String {
    let text = path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return text.isEmpty ? "the top" : BodyExcerpt.escaped(text, limit: 200)
  }
}
