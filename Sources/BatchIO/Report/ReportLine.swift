import FetchPipeline

/// A result as a line of the report.
public enum ReportLine {
  /// The object of a result, its members in the order in which people look for them.
  public static func json(of result: ImageResult) -> JSONValue {
    var line: JSONObject = [
      "id": .string(result.id), "url": .string(result.url), "status": .string(result.status.rawValue),
    ]
    line.append("error", result.error.map(json))
    line.append("source", result.source.map(json))
    line.append("http", result.exchange.map { json(of: $0, headers: result.headers) })
    if result.status != .failed { line.append("outputs", .array(result.outputs.map(json))) }
    line.append("flags", .array(ResultFlag.allCases.filter(result.flags.contains).map { .string($0.rawValue) }))
    line.append("ms", json(of: result.timings))
    if !result.fields.members.isEmpty { line.append("fields", .object(result.fields)) }
    if !result.meta.members.isEmpty { line.append("meta", .object(result.meta)) }
    return .object(line)
  }

  private static func json(of error: PipelineError) -> JSONValue {
    [
      "stage": .string(error.stage.rawValue), "code": .string(error.code.rawValue), "message": .string(error.message),
      "transient": .bool(error.isTransient),
    ]
  }

  private static func json(of source: SourceDescription) -> JSONValue {
    [
      "format": .string(source.format.rawValue), "width": .integer(source.size.width),
      "height": .integer(source.size.height), "bytes": .integer(source.byteCount),
      "orientation": .integer(source.orientation.rawValue),
    ]
  }

  private static func json(of exchange: ExchangeDescription, headers: HTTPFields?) -> JSONValue {
    var object: JSONObject = [:]
    object.append("status", exchange.status.map(JSONValue.integer))
    // Without user name and password.
    object.append("url", .string(exchange.url.description))
    object.append("attempts", .integer(exchange.attempts))
    object.append("cache", .string(exchange.cache.rawValue))
    object.append("headers", headers.map { .array($0.map { .array([.string($0.name), .string($0.value)]) }) })
    return .object(object)
  }

  private static func json(of image: StoredImage) -> JSONValue {
    [
      "rendition": .string(image.rendition), "path": .string(image.path), "format": .string(image.format.rawValue),
      "width": .integer(image.size.width), "height": .integer(image.size.height), "bytes": .integer(image.byteCount),
    ]
  }

  private static func json(of timings: Timings) -> JSONValue {
    func milliseconds(_ duration: Duration) -> JSONValue {
      .number(JSONNumber(duration.inSeconds * 1_000, decimals: 3))
    }
    return [
      "fetch": milliseconds(timings.fetch), "decode": milliseconds(timings.decode),
      "transform": milliseconds(timings.transform), "encode": milliseconds(timings.encode),
      "write": milliseconds(timings.write), "total": milliseconds(timings.total),
    ]
  }
}
