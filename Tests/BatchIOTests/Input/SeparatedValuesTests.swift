import BatchIO
import FetchPipeline
import PipelineTesting
import Testing

@Suite struct SeparatedValuesTests {
  @Test func aHeaderNamesTheColumns() async throws {
    let list = try await rows(
      "label,url, id ,\r\ncat,http://a/1,x,more\r\n\r\ndog,http://a/2,,\r\n\"\",http://a/3\r\n", name: "list.csv")
    #expect(list.map(\.outcome) == ["http://a/1", "http://a/2", "http://a/3"])
    #expect(list.map(\.row) == [1, 2, 3])
    #expect(list.map(\.id) == ["x", "2", "3"])
    #expect(
      list.map { JSONValue.object($0.fields).compactText } == [
        #"{"label":"cat","4":"more"}"#, #"{"label":"dog","4":""}"#, #"{"label":""}"#,
      ])
    #expect(
      list.map { JSONValue.object($0.original).compactText } == [
        #"{"label":"cat","url":"http://a/1","id":"x","4":"more"}"#,
        #"{"label":"dog","url":"http://a/2","4":"","id":"2"}"#, #"{"label":"","url":"http://a/3","id":"3"}"#,
      ])
  }

  @Test(arguments: [
    (#"http://a/1,"#, "http://a/1", ""),
    (#""http://a/1,2",x"#, "http://a/1,2", "x"),
    (#""http://a/1","a ""quoted"" word""#, "http://a/1", "a \"quoted\" word"),
    ("http://a/1,\"two\r\nlines\"", "http://a/1", "two\r\nlines"),
    (#"http://a/1,not "quoted""#, "http://a/1", "not \"quoted\""),
    (#""http://a/1"x,"a"b"#, "http://a/1x", "ab"),
    (" http://a/1 , x ", " http://a/1 ", " x "),
    ("http://a/1,图", "http://a/1", "图"),
  ])
  func valuesAreReadAsTheStandardSays(line: String, url: String, note: String) async throws {
    for lineEnd in ["\n", "\r\n", ""] {
      let list = try await rows("\u{feff}url,note\n" + line + lineEnd, name: "list.csv")
      #expect(list.map(\.text) == [url])
      #expect(list.first?.fields["note"] == .string(note))
    }
  }

  @Test func aRowOfVeryManyColumnsFailsAndTheNextDoesNot() async throws {
    let wide = "http://a/1" + String(repeating: ",", count: 16_384)
    let list = try await rows("url,note\n\(wide)\nhttp://a/2,\(wide.dropFirst(10).dropLast(2))\n", name: "list.csv")
    #expect(list.map(\.outcome) == ["invalid-input", "http://a/2"])
    #expect(list.first?.text == "http://a/1")
    #expect(list.first?.failure?.message.contains("more than 16384 columns") == true)
    #expect(list.last?.fields.members.count == 16_383)
  }

  @Test func aHeaderThatCannotBeReadIsTheEnd() async throws {
    for header in ["url" + String(repeating: ",", count: 20_000), "url," + String(repeating: "x", count: 2 << 20)] {
      let (list, error) = try await rowsAndError("\(header)\nhttp://a/1\n".utf8, name: "list.csv")
      #expect(list.isEmpty)
      #expect(error?.code == .invalidInput)
      #expect(error?.message.contains("the first line, which names the columns: ") == true, "\(error?.message ?? "")")
    }
  }

  @Test func tabsSeparateWhereTheListSaysSo() async throws {
    let list = try await rows("id\turl\tn\n1,5\thttp://a/1,2\t\"a\tb\"\n", name: "list.tsv")
    #expect(list.map(\.id) == ["1,5"])
    #expect(list.map(\.outcome) == ["http://a/1,2"])
    #expect(list.first?.fields["n"] == "a\tb")
  }

  @Test func withoutAHeaderColumnsHaveNumbers() async throws {
    let list = try await rows("cat,http://a/1,x\ndog,http://a/2,y\n", name: "list.csv") {
      ($0.header, $0.urlField, $0.idField) = (false, "2", "3")
    }
    #expect(list.map(\.outcome) == ["http://a/1", "http://a/2"])
    #expect(list.map(\.id) == ["x", "y"])
    #expect(JSONValue.object(list[0].fields).compactText == #"{"1":"cat"}"#)
    // What failed can be read again under the same configuration.
    let again = try await rows(JSONValue.object(list[1].original).compactText, name: "failed.jsonl") {
      ($0.header, $0.urlField, $0.idField) = (false, "2", "3")
    }
    #expect(again.map(\.outcome) == ["http://a/2"])
    #expect(again.map(\.id) == ["y"])
  }

  @Test func aRowThatCannotBeUnderstoodIsOneFailedRow() async throws {
    let bytes =
      Array("id,url\na,http://a/1\nb\nc,\nd,http://a/".utf8) + [0xff] + Array("\ne,http://a/5\nf,\"http://a/6\n".utf8)
    let list = try await rows(bytes, name: "list.csv")
    #expect(
      list.map(\.outcome) == [
        "http://a/1", "invalid-input", "invalid-input", "invalid-input", "http://a/5", "invalid-input",
      ])
    #expect(list.map(\.id) == ["a", "b", "c", "4", "e", "6"])
    #expect(
      list.map { $0.failure?.message } == [
        nil, "the row has no \"url\"", "the URL is empty", "row 4: not UTF-8", nil,
        "row 6: a quote has no end, and the list ends in it",
      ])
  }

  /// A list without a header would else lose its first row, and fail in all others.
  @Test func aHeaderWithoutTheColumnOfURLsEndsTheReading() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("list.csv"), "id,URL\na,http://a/1\n")
    let source = ListSource(ListInputStage(), path: folder("list.csv"))
    // Before anything is made; and, for what comes through a pipe, when it is read.
    let found = #expect(throws: ConfigurationError.self) { try source.check() }
    let read = await #expect(throws: ConfigurationError.self) { for try await _ in source {} }
    for error in [found, read] {
      let problem = try #require(error?.problems.first)
      #expect(problem.path == "input.urlField")
      #expect(problem.message.contains("names no column \"url\" but \"id\", \"URL\"; did you mean \"URL\"?"))
      #expect(problem.message.contains("header: false, urlField: 1"))
    }
  }

  @Test func aColumnOfNamesThatIsAskedForMustBeThere() throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("list.csv"), "url,SKU\nhttp://a/1,7\n")
    var options = ListInputStage()
    // Without it rows have their numbers; so they have not where another is named.
    try ListSource(options, path: folder("list.csv")).check()
    options.idField = "sku"
    let error = #expect(throws: ConfigurationError.self) { try ListSource(options, path: folder("list.csv")).check() }
    #expect(error?.problems.map(\.path) == ["input.idField"])
    #expect(error?.problems.first?.message.contains("did you mean \"SKU\"?") == true)
  }

  @Test func aRowOfOneMebibyteIsReadAndALongerOneIsOneFailedRow() async throws {
    let longest = String(repeating: "x", count: 1_048_576 - 11)
    for lineEnd in ["\n", "\r\n"] {
      for (more, isRead) in [("", true), ("y", false), (String(repeating: "y", count: 100_000), false)] {
        let list = try await rows(
          "url,note\(lineEnd)http://a/1,\(longest)\(more)\(lineEnd)http://a/2,\(lineEnd)", name: "list.csv")
        #expect(list.map(\.outcome) == [isRead ? "http://a/1" : "invalid-input", "http://a/2"])
        #expect(list[0].text == "http://a/1")
        #expect(list[0].failure?.message == (isRead ? nil : "row 1: longer than 1 MiB"))
      }
    }
    // A quote without its end swallows no more than that.
    let open = "url,note\nhttp://a/1,\"" + String(repeating: "x\n", count: 600_000) + "http://a/2,\n"
    let list = try await rows(open, name: "list.csv")
    #expect(list.first?.outcome == "invalid-input")
    #expect(list.last?.outcome == "http://a/2")
  }

  @Test func withoutALineEndWithinSixtyFourMebibytesTheRunEnds() async throws {
    let (list, error) = try await rowsAndError(
      Array("url\nhttp://a/1\n".utf8) + [UInt8](repeating: 0x78, count: (64 << 20) + 1), name: "list.csv")
    #expect(list.map(\.outcome) == ["http://a/1", "invalid-input"])
    #expect(error?.code == .invalidInput)
  }

  @Test func aColumnIsAWishOnlyWhereItsValueIsOne() async throws {
    let list = try await rows(
      """
      url,method,headers,body,cache
      http://a/1,post,"{""X-A"":""1""}",text,no-store
      http://a/2,brush,a heading,a story,no
      http://a/3,GET,,not sent,
      """, name: "list.csv")
    let first = try #require(list[0].success)
    #expect(first.method == .post(HTTPRequestBody(SharedBytes(utf8: "text"))))
    #expect(first.headers["X-A"] == "1")
    #expect(first.cache == .noStore)
    #expect(list[0].fields.members.isEmpty)
    let second = try #require(list[1].success)
    #expect(second.method == nil)
    #expect(second.body == nil)
    #expect(second.headers.isEmpty)
    #expect(
      JSONValue.object(list[1].fields).compactText
        == #"{"method":"brush","headers":"a heading","body":"a story","cache":"no"}"#)
    #expect(try #require(list[2].success).method == .get)
    // Read again from the failed rows, each asks for the same.
    let lines = list.map { JSONValue.object($0.original).compactText }.joined(separator: "\n")
    let again = try await rows(lines, name: "failed.jsonl")
    for (row, repeated) in zip(list, again) {
      #expect(repeated.success?.method == row.success?.method)
      #expect(repeated.success?.body == row.success?.body)
      #expect(repeated.success?.headers == row.success?.headers)
      #expect(repeated.success?.cache == row.success?.cache)
    }
  }

  @Test(arguments: [
    ("id,url\n1,http://a/1\n", ["http://a/1"]), ("url\tx\nhttp://a/1\t2\n", ["http://a/1"]),
    ("\"url\" , b\r\nhttp://a/1,2\r\n", ["http://a/1"]),
    ("http://a/x,url,y\nhttp://a/2", ["http://a/x,url,y", "http://a/2"]),
    ("url\nhttp://a/2", ["a path", "http://a/2"]),
    ("http://a/1,2,3", ["http://a/1,2,3"]),
  ])
  func theFirstLineOfAListWithoutAnEndingSaysWhatItIs(text: String, expected: [String]) async throws {
    #expect(try await rows(text, name: "list").map(\.outcome) == expected)
  }
}
