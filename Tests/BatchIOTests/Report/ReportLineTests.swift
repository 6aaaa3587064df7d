import BatchIO
import FetchPipeline
import Testing

@Suite struct ReportLineTests {
  @Test func aLineIsWhatIsDocumented() throws {
    #expect(
      ReportLine.json(of: try documentedResult()).compactText
        == #"{"id":"42","url":"https://example.org/a.jpg","status":"ok","#
        + #""source":{"format":"jpeg","width":3000,"height":4000,"bytes":2154123,"orientation":6},"#
        + #""http":{"status":200,"url":"https://cdn.example.org/a.jpg","attempts":1,"cache":"miss"},"#
        + #""outputs":[{"rendition":"","path":"a-1f0c2d3e4a5b6c7d.jpg","format":"jpeg","width":192,"height":256,"bytes":9120}],"#
        + #""flags":["icc-converted"],"ms":{"fetch":41.2,"decode":9.8,"transform":0.9,"encode":1.1,"write":0.3,"total":53.9}}"#
    )
  }

  @Test func aFailedLineHasAnErrorAndNoOutputs() throws {
    var failed = result(
      "http://user:secret@example.org/x", id: "a/b", status: .failed,
      error: PipelineError(.transport, .httpStatus, "404 \"Not Found\"", isTransient: false, httpStatus: 404))
    failed.exchange = ExchangeDescription(
      status: nil, url: try ResourceURL("http://user:secret@example.org/x"), attempts: 3, cache: .none)
    failed.fields = ["label": "cat", "n": .number(JSONNumber(1.5, decimals: 2))]
    failed.meta = ["watermark": ["seen": true]]
    failed.flags = [.redirected, .damaged]
    #expect(
      ReportLine.json(of: failed).compactText
        == #"{"id":"a/b","url":"http://user:***@example.org/x","status":"failed","#
        + #""error":{"stage":"transport","code":"http-status","message":"404 \"Not Found\"","transient":false},"#
        + #""http":{"url":"http://example.org/x","attempts":3,"cache":"none"},"flags":["damaged","redirected"],"#
        + #""ms":{"fetch":0,"decode":0,"transform":0,"encode":0,"write":0,"total":0},"#
        + #""fields":{"label":"cat","n":1.5},"meta":{"watermark":{"seen":true}}}"#)
  }

  @Test func headersAreThereWhereTheyAreAskedFor() throws {
    var made = try documentedResult()
    made.headers = ["Content-Type": "image/jpeg", "X-A": "1"]
    guard case .object(let line) = ReportLine.json(of: made), case .object(let http)? = line["http"] else {
      Issue.record("no http")
      return
    }
    #expect(http["headers"]?.compactText == #"[["Content-Type","image/jpeg"],["X-A","1"]]"#)
  }

  @Test func theSchemaKnowsTheClosedSetsOfTheContract() throws {
    func words(_ path: String...) -> Set<String> {
      var value = ReportLine.schema
      for name in path {
        guard case .object(let object) = value, let member = object[name] else { return [] }
        value = member
      }
      guard case .array(let list) = value else { return [] }
      return Set(list.map { if case .string(let word) = $0 { word } else { "?" } })
    }
    #expect(words("properties", "status", "enum") == ["ok", "skipped", "failed"])
    #expect(
      words("properties", "flags", "items", "enum") == [
        "damaged", "tolerated", "icc-converted", "icc-invalid", "cmyk", "hdr", "animated", "alpha-flattened",
        "mime-mismatch", "redirected", "renamed",
      ])
    #expect(
      words("properties", "error", "properties", "stage", "enum") == [
        "input", "request", "cache", "transport", "decode", "transform", "encode", "output", "plugin",
      ])
    #expect(
      words("properties", "error", "properties", "code", "enum") == [
        "dns", "connect", "timeout", "stalled", "connection-lost", "protocol", "http-status", "host-unavailable",
        "body-truncated", "disk-full", "out-of-budget", "cancelled", "invalid-input", "unsupported-scheme",
        "blocked-address", "tls", "disallowed", "redirect-limit", "redirect-blocked", "body-too-large",
        "content-encoding", "response-decoding", "not-cached", "not-found", "not-an-image", "unsupported-format",
        "unsupported-feature", "too-small", "corrupt", "truncated", "too-many-pixels", "too-many-frames",
        "too-many-scans", "decode-timeout", "transform", "encode", "write", "name-collision", "plugin",
      ])
    #expect(
      words("properties", "http", "properties", "cache", "enum") == ["hit", "miss", "revalidated", "stale", "none"])
    #expect(words("properties", "error", "required") == ["stage", "code", "message", "transient"])
    #expect(words("properties", "http", "required") == ["url", "attempts", "cache"])
  }

  @Test func everyMemberOfALineIsInTheSchemaAndInItsOrder() throws {
    var made = try documentedResult()
    made.headers = [:]
    made.fields = ["a": 1]
    made.meta = ["b": 2]
    guard case .object(let schema) = ReportLine.schema, case .object(let properties)? = schema["properties"],
      case .object(let line) = ReportLine.json(of: made)
    else {
      Issue.record("no objects")
      return
    }
    let known = properties.members.map(\.name)
    #expect(known == ["id", "url", "status", "error", "source", "http", "outputs", "flags", "ms", "fields", "meta"])
    #expect(line.members.map(\.name) == known.filter { $0 != "error" })
    #expect(schema["additionalProperties"] == false)
  }
}
