import FetchPipeline

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPRequest {
  /// A POST of a value as JSON. It is sent once.
  ///
  /// - Parameters:
  ///   - url: where, as a `ResourceURL`, a `URL` or text.
  ///   - value: the body.
  ///   - encoder: what writes it; by default members come in the order of their names, and dates are those of RFC 3339.
  ///   - query: parameters that are added to those of the URL.
  ///   - headers: the header fields.
  ///   - timeout: the longest that the attempt may take.
  /// - Throws: `unsupported-scheme`, `invalid-input` where `url` is none that can be asked, or `value` cannot be JSON, as do
  ///   all of these.
  public static func post(
    _ url: some ResourceURLConvertible, json value: some Encodable, encoder: JSONEncoder = .rfc3339(),
    query: HTTPParameters = [:], headers: HTTPFields = [:], timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try post(url, body: .json(value, encoder: encoder), query: query, headers: headers, timeout: timeout)
  }

  /// A PUT of a value as JSON.
  public static func put(
    _ url: some ResourceURLConvertible, json value: some Encodable, encoder: JSONEncoder = .rfc3339(),
    query: HTTPParameters = [:], headers: HTTPFields = [:], timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try put(url, body: .json(value, encoder: encoder), query: query, headers: headers, timeout: timeout)
  }

  /// A PATCH of a value as JSON. It is sent once.
  public static func patch(
    _ url: some ResourceURLConvertible, json value: some Encodable, encoder: JSONEncoder = .rfc3339(),
    query: HTTPParameters = [:], headers: HTTPFields = [:], timeout: Duration = .seconds(30)
  ) throws -> HTTPRequest {
    try patch(url, body: .json(value, encoder: encoder), query: query, headers: headers, timeout: timeout)
  }
}

extension HTTPRequestBody {
  /// A value as JSON. Throws `invalid-input`, of stage request, where it cannot be: a number that is not finite, for example.
  public static func json(_ value: some Encodable, encoder: JSONEncoder = .rfc3339()) throws -> HTTPRequestBody {
    do {
      return HTTPRequestBody(SharedBytes(try encoder.encode(value)), contentType: "application/json")
    } catch let error as EncodingError {
      guard case .invalidValue(_, let context) = error else { throw error }
      throw PipelineError(
        .request, .invalidInput,
        "the body cannot be JSON: at \(CodingPath.text(context.codingPath)): \(context.debugDescription)",
        underlying: error)
    }
  }
}

extension JSONEncoder {
  /// An encoder that writes the same value as the same bytes: members in the order of their names, slashes as they are,
  /// dates as those of RFC 3339.
  public static func rfc3339() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }
}

extension URL: ResourceURLConvertible {
  /// The URL, parsed as all that are fetched here are.
  public func resourceURL() throws -> ResourceURL { try ResourceURL(absoluteString) }
}
