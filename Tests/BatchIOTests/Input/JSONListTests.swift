import BatchIO
import FetchPipeline
import Testing

@Suite struct JSONListTests {
  @Test func eachElementIsARow() async throws {
    let list = try await rows(
      """
      \u{feff} [
        {"url": "http://a/1", "x": {"y": ["]", "}", "\\"", "\\\\"]}},
        "http://a/2",
        {
          "id": 7,
          "url": "http://a/3"
        }
      ]

      """, name: "list.json")
    #expect(list.map(\.outcome) == ["http://a/1", "http://a/2", "http://a/3"])
    #expect(list.map(\.id) == ["1", "2", "7"])
    #expect(JSONValue.object(list[0].fields).compactText == #"{"x":{"y":["]","}","\"","\\"]}}"#)
  }

  @Test func howItIsCutIntoPiecesDoesNotMatter() async throws {
    // Elements of many lengths, so that the ends of the pieces that are read fall everywhere.
    let elements = (0..<3_000).map { number in
      "{\"url\":\"http://a/\(number)\",\"t\":\"\\\\\\\"\(String(repeating: "]}", count: number % 50))\"}"
    }
    let list = try await rows("[" + elements.joined(separator: ",") + "]", name: "list.json")
    #expect(list.map(\.outcome) == (0..<3_000).map { "http://a/\($0)" })
  }

  @Test(arguments: [
    ("[]", []), (" [ ] ", []), ("", []), (" \n", []), ("{\"url\":\"http://a/1\"}", ["http://a/1"]),
    ("{\"url\":\"http://a/1\"}\n{\"url\":\"http://a/2\"}", ["http://a/1", "http://a/2"]),
    ("[\"http://a/1\",]", ["http://a/1"]),
    ("[1,null,true,[\"x\"]]", ["invalid-input", "invalid-input", "invalid-input", "invalid-input"]),
    (
      "[{\"url\":\"http://a/1\",},nonsense,{\"url\":\"http://a/3\"}]", ["invalid-input", "invalid-input", "http://a/3"]
    ),
    ("[{\"url\":\"http://a/1\"} {\"url\":\"http://a/2\"}]", ["http://a/1", "http://a/2"]),
  ])
  func whatIsBadInAnElementIsOneFailedRow(text: String, expected: [String]) async throws {
    #expect(try await rows(text, name: "list.json").map(\.outcome) == expected)
  }

  @Test(arguments: [
    ("[{\"url\":\"http://a/1\"}", ["http://a/1"]), ("[{\"url\":\"http://a/1\"},", ["http://a/1"]),
    ("[{\"url\":\"http://a/1\"},{\"url\":", ["http://a/1", "invalid-input"]), ("[", []),
    ("[\"http://a/1\"] x", ["http://a/1"]), ("[\"http://a/1\"][\"http://a/2\"]", ["http://a/1"]),
    ("[\"http://a/1\",\"http://a/", ["http://a/1", "invalid-input"]),
  ])
  func aListThatIsNotWholeEndsTheRunAfterItsRows(text: String, expected: [String]) async throws {
    let (list, error) = try await rowsAndError(text.utf8, name: "list.json")
    #expect(list.map(\.outcome) == expected)
    #expect(error?.stage == .input)
    #expect(error?.code == .corrupt)
  }

  @Test func anElementOfMoreThanOneMebibyteIsOneFailedRow() async throws {
    let frame = #"{"url":"http://a/1","x":""}"#
    for (length, isRead) in [(1_048_576, true), (1_048_577, false), (3_000_000, false)] {
      let long = #"{"url":"http://a/1","x":""# + String(repeating: "}", count: length - frame.utf8.count) + #""}"#
      let list = try await rows("[\(long),\"http://a/2\"]", name: "list.json")
      #expect(list.map(\.outcome) == [isRead ? "http://a/1" : "invalid-input", "http://a/2"])
    }
  }

  @Test func aBracketAtTheStartSaysThatItIsAList() async throws {
    #expect(try await rows("[\n\"http://a/1\"\n]", name: "list").map(\.outcome) == ["http://a/1"])
  }
}
