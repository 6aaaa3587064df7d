import FetchPipeline

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPClient {
  /// The answer to `request` as a value: `let token = try await client.send(.post(url, json: user), as: Token.self)`.
  ///
  /// The request asks for `application/json` unless it has an Accept field. An answer without a body (204, for example) is
  /// nil where an optional is wanted, and so is JSON's `null`; where nothing is wanted, `send(_:)` asks for no type.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - type: what the body is to be.
  ///   - decoder: what reads the body; by default dates are those of RFC 3339.
  /// - Throws: what `HTTPClient.send(_:)` throws, `http-status` of an answer outside 200…299 among it; `response-decoding`,
  ///   of stage transport, where the body is no such value: with the path in it, what was expected, status and
  ///   Content-Type, and how the body begins, values of text left out; `body-truncated` where it ended with its connection
  ///   and is no whole JSON.
  public func send<Value: Decodable>(
    _ request: HTTPRequest, as type: Value.Type, decoder: JSONDecoder = .rfc3339()
  ) async throws -> Value {
    var request = request
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    return try await send(request).decoded(as: type, decoder: decoder)
  }
}

extension ReceivedResponse {
  /// The body as a value, read as JSON: of any answer, an error's as well (`HTTPClient.response(to:)` gives those).
  ///
  /// An empty body is nil where an optional is wanted.
  ///
  /// - Throws: `response-decoding`, `body-truncated`, as `HTTPClient.send(_:as:decoder:)` says.
  public func decoded<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = .rfc3339()
  ) throws -> Value {
    if body.isEmpty {
      if let absent = (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value { return absent }
      throw DecodingFailure(self, type).error("the body is empty")
    }
    do {
      return try body.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return try decoder.decode(type, from: Data()) }
        // Read within this call, and never written to: nothing is copied.
        let data = Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count, deallocator: .none)
        return try decoder.decode(type, from: data)
      }
    } catch {
      throw DecodingFailure(self, type).error(of: error)
    }
  }
}

extension JSONDecoder {
  /// A decoder whose dates are those of RFC 3339 (`2024-05-01T10:00:00Z`), with fractions of a second or without.
  public static func rfc3339() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      for hasFractions in [false, true] {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFractions)
        if let date = try? style.parse(text) { return date }
      }
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "A date of RFC 3339 was expected.")
    }
    return decoder
  }
}
