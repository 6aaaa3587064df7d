import BatchIO
import FetchPipeline
import Testing

@Suite struct JSONLinesTests {
  func row(_ text: String, _ change: (inout ListInputStage) -> Void = { _ in }) async throws -> SourceItem {
    let list = try await rows(text, name: "list.jsonl", change)
    #expect(list.count == 1)
    return try #require(list.first)
  }

  @Test func aRowHasItsURLItsNameAndItsOtherFieldsInOrder() async throws {
    let row = try await row(
      #"{"z":[1,{"a":null}],"url":"http://a/1","n":1.50,"id":"x/1","s":"é\n","headers":null,"b":true}"#)
    #expect(row.id == "x/1")
    #expect(row.text == "http://a/1")
    #expect(row.outcome == "http://a/1")
    #expect(JSONValue.object(row.fields).compactText == #"{"z":[1,{"a":null}],"n":1.50,"s":"é\n","b":true}"#)
    #expect(
      JSONValue.object(row.original).compactText
        == #"{"z":[1,{"a":null}],"url":"http://a/1","n":1.50,"id":"x/1","s":"é\n","headers":null,"b":true}"#)
    #expect(row.success?.method == nil)
    #expect(row.success?.body == nil)
    #expect(row.success?.cache == nil)
    #expect(row.success?.headers.isEmpty == true)
  }

  @Test(arguments: [
    (#""id":42"#, "42"), (#""id":4.20"#, "4.20"), (#""id":1e3"#, "1e3"),
    (#""id":90071992547409931"#, "90071992547409931"),
    (#""id":"7""#, "7"), (#""id":null"#, "1"), (#""id":"""#, "1"), (#""x":1"#, "1"),
  ])
  func anIDIsTextOrANumberAsWrittenOrTheRowsNumber(member: String, id: String) async throws {
    let row = try await row("{\"url\":\"http://a/1\",\(member)}")
    #expect(row.id == id)
    #expect(row.outcome == "http://a/1")
    // The row keeps its name where it is read again as another one.
    let again = try await rows("{}\n" + JSONValue.object(row.original).compactText, name: "f.jsonl")
    #expect(again[1].id == id)
  }

  @Test func fieldsMayHaveOtherNames() async throws {
    let row = try await row(#"{"url":"u","id":"i","image":{"x":1},"link":"http://a/1","key":5}"#) {
      ($0.urlField, $0.idField) = ("link", "key")
    }
    #expect(row.outcome == "http://a/1")
    #expect(row.id == "5")
    #expect(JSONValue.object(row.fields).compactText == #"{"url":"u","id":"i","image":{"x":1}}"#)
  }

  @Test func blankLinesDoNotCountAndAURLAloneIsARow() async throws {
    let list = try await rows("\u{feff}\r\n{\"url\":\"http://a/1\"}\r\n \r\n\"http://a/2\"\r\n", name: "list.ndjson")
    #expect(list.map(\.outcome) == ["http://a/1", "http://a/2"])
    #expect(list.map(\.row) == [1, 2])
  }

  @Test(arguments: [
    ("{\"url\":\"http://a/1\"", "row 2: bad JSON at column 20: "), ("nonsense", "row 2: bad JSON at column 1: "),
    ("[1]", "row 2: a row is an object or a URL, not a list"),
    ("17", "row 2: a row is an object or a URL, not a number"),
    ("{\"url\":\"http://a/1\"} x", "row 2: bad JSON at column 22: "),
    ("{\"url\":\"\\ud800\"}", "row 2: bad JSON at column "),
    ("{}", "the row has no \"url\""), ("{\"URL\":\"http://a/1\"}", "the row has no \"url\"; did you mean \"URL\"?"),
    ("{\"url\":5}", "\"url\" is a number, not a string"), ("{\"url\":null}", "\"url\" is null, not a string"),
    ("{\"url\":\"\"}", "the URL is empty"),
    ("{\"url\":\"http://a/1\",\"id\":[1]}", "\"id\" is a list, not a string or a number"),
    ("# comment", "row 2: bad JSON at column 1: "),
  ])
  func aRowThatCannotBeUnderstoodIsOneFailedRow(line: String, message: String) async throws {
    let list = try await rows("{\"url\":\"http://a/1\"}\n\(line)\n{\"url\":\"http://a/3\"}", name: "list.jsonl")
    #expect(list.map(\.outcome) == ["http://a/1", "invalid-input", "http://a/3"])
    #expect(list.map(\.id) == ["1", "2", "3"])
    #expect(list[1].failure?.message.hasPrefix(message) == true, "\(list[1].failure?.message ?? "")")
  }

  @Test func badUTF8IsOneFailedRow() async throws {
    let bad = Array("{\"url\":\"http://a/".utf8) + [0xe2, 0x82] + Array("\"}".utf8)
    let list = try await rows(bad + Array("\n{\"url\":\"http://a/2\"}".utf8), name: "list.jsonl")
    #expect(list.map(\.outcome) == ["invalid-input", "http://a/2"])
    let deep = String(repeating: "[", count: 100_000)
    let nested = try await rows("{\"url\":\"http://a/1\",\"x\":\(deep)\n{\"url\":\"http://a/2\"}", name: "list.jsonl")
    #expect(nested.map(\.outcome) == ["invalid-input", "http://a/2"])
  }

  @Test func aRowMayAskInItsOwnWay() async throws {
    let row = try await row(
      #"{"url":"http://a/1","method":"post","body":{"q":[1,2]},"cache":"no-store","headers":{"X-A":"1","x-n":5,"Accept":["a","b"]}}"#
    )
    let request = try #require(row.success)
    #expect(
      request.method == .post(HTTPRequestBody(SharedBytes(utf8: #"{"q":[1,2]}"#), contentType: "application/json")))
    #expect(request.body == nil)
    #expect(request.cache == .noStore)
    #expect(request.headers.map { "\($0.name): \($0.value)" } == ["X-A: 1", "x-n: 5", "Accept: a", "Accept: b"])
    #expect(row.fields.members.isEmpty)
  }

  @Test func aBodyWithoutAMethodGoesWithTheBuilders() async throws {
    let request = try #require(try await row(#"{"url":"http://a/1","body":"plain"}"#).success)
    #expect(request.method == nil)
    #expect(request.body == HTTPRequestBody(SharedBytes(utf8: "plain")))
    #expect(try await row(#"{"url":"http://a/1","method":"HEAD"}"#).success?.method == .head)
    #expect(try await row(#"{"url":"http://a/1","method":"PUT"}"#).success?.method == .put(.empty))
  }

  @Test(arguments: [
    (#""method":"GET","body":"x""#, "\"method\": a GET carries no \"body\""),
    (#""method":"BREW""#, "\"method\": \"BREW\" is not GET, HEAD, POST, PUT, PATCH or DELETE"),
    (#""method":1"#, "\"method\": 1 is not GET, HEAD, POST, PUT, PATCH or DELETE"),
    (#""cache":"never""#, "\"cache\": \"never\" is not \"default\", \"no-store\""),
    (#""headers":["a"]"#, "\"headers\" is a list, not an object"),
    (#""headers":{"a b":"x"}"#, "\"headers\": the field \"a b\" cannot be sent"),
    (#""headers":{"a":"x\r\nEvil: 1"}"#, "\"headers\": the field \"a\" cannot be sent"),
    (#""headers":{"a":{}}"#, "\"headers\": the field \"a\" cannot be sent"),
  ])
  func aWishThatMakesNoSenseIsOneFailedRow(member: String, message: String) async throws {
    let row = try await row("{\"url\":\"http://a/1\",\(member)}")
    #expect(row.outcome == "invalid-input")
    #expect(row.failure?.message.hasPrefix(message) == true, "\(row.failure?.message ?? "")")
  }

  @Test func ofMembersOfOneNameTheFirstCounts() async throws {
    let row = try await row(#"{"url":"http://a/1","url":"http://a/2","x":1,"x":2,"id":"a","id":"b"}"#)
    #expect(row.outcome == "http://a/1")
    #expect(row.id == "a")
    #expect(JSONValue.object(row.fields).compactText == #"{"x":1}"#)
  }
}
