import BatchIO
import FetchPipeline
import PipelineTesting
import Testing

@Suite struct TextListTests {
  @Test func oneURLALineAndNothingElseIsSpecial() async throws {
    let list = try await rows(
      """
      http://example.org/a.jpg

        # a comment, and a blank line with spaces
      \t
      http://example.org/c,d;e "f" 'g'.jpg?x=1,2#frag  \t
      HTTPS://EXAMPLE.ORG/b # no comment
      """)
    #expect(list.map(\.row) == [1, 2, 3])
    #expect(list.map(\.id) == ["1", "2", "3"])
    #expect(
      list.map(\.text) == [
        "http://example.org/a.jpg", "http://example.org/c,d;e \"f\" 'g'.jpg?x=1,2#frag",
        "HTTPS://EXAMPLE.ORG/b # no comment",
      ])
    #expect(
      list.map(\.outcome) == [
        "http://example.org/a.jpg", "http://example.org/c,d;e%20%22f%22%20'g'.jpg?x=1,2", "https://example.org/b%20",
      ])
    #expect(list.allSatisfy { $0.fields.members.isEmpty })
  }

  @Test(arguments: ["\n", "\r\n"]) func lineEndsAndMarksAreNoPartOfARow(lineEnd: String) async throws {
    for mark in ["", "\u{feff}"] {
      for last in ["", lineEnd] {
        let list = try await rows(mark + "http://a/1" + lineEnd + "http://a/2" + last)
        #expect(list.map(\.text) == ["http://a/1", "http://a/2"])
      }
    }
  }

  @Test(arguments: ["", "\n", "\u{feff}", " \n\t\r\n", "# only\n#comments"]) func anEmptyListHasNoRows(
    text: String
  ) async throws {
    #expect(try await rows(text).isEmpty)
    #expect(try await rows(text, name: "list.txt").isEmpty)
  }

  @Test(arguments: [
    ("ftp://example.org/x", PipelineError.Code.unsupportedScheme),
    ("file:///etc/passwd", .unsupportedScheme),
    ("data:image/png;base64,A", .invalidInput),
    ("data:image/png;base64", .invalidInput),
    ("javascript:alert(1)", .unsupportedScheme),
    ("http://", .invalidInput),
    ("http:/example.org/x", .invalidInput),
    ("http://exa mple.org/", .invalidInput),
    ("http://example.org:99999/", .invalidInput),
    ("http://example.org/\u{1}x", .invalidInput),
    ("http://a/\u{0}", .invalidInput),
  ])
  func whatCannotBeFetchedIsOneFailedRow(line: String, code: PipelineError.Code) async throws {
    let list = try await rows("http://a/1\n\(line)\nhttp://a/3\n")
    #expect(list.map(\.outcome) == ["http://a/1", code.rawValue, "http://a/3"])
    #expect(list[1].text == line)
    #expect(list[1].id == "2")
    #expect(list[1].failure?.stage == .input)
    #expect(list[1].failure?.isTransient == false)
  }

  @Test func whatHasNoSchemeIsAPathFromTheListsFolder() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("list.txt"), "pictures/a.jpg\n/b.jpg\nfile:///c%20d.jpg\n")
    let list = try await rowsAndError(path: folder("list.txt")) { $0.schemes = [.path, .file] }.rows
    #expect(
      list.compactMap(\.success?.location) == [
        .file(folder("pictures/a.jpg")), .file("/b.jpg"), .file("/c d.jpg"),
      ])
    // A list of failed rows stands elsewhere, and means the same files.
    #expect(list[0].original["url"] == .string(folder("pictures/a.jpg")))
    #expect(list[0].text == "pictures/a.jpg")
    let standard = try await rowsAndError(path: folder("list.txt")).rows
    #expect(standard.map(\.outcome) == ["a path", "a path", "unsupported-scheme"])
  }

  @Test func aPictureCanBeInTheListItself() async throws {
    let list = try await rows("data:image/png;base64,aGVsbG8=\ndata:,a%20b\n")
    let data = list.compactMap { row -> DataURL? in
      if case .data(let data)? = row.success?.location { data } else { nil }
    }
    #expect(data.map { String(decoding: $0.bytes.array(), as: UTF8.self) } == ["hello", "a b"])
    #expect(data.map(\.mediaType) == ["image/png", nil])
  }

  @Test func aSchemeIsTakenOnlyWhereItIsNamed() async throws {
    let list = try await rows("http://a/1\nhttps://a/2\nb.jpg\n") { $0.schemes = [.https] }
    #expect(list.map(\.outcome) == ["unsupported-scheme", "https://a/2", "unsupported-scheme"])
    #expect(list[2].failure?.message.contains("input.schemes") == true)
  }

  @Test func aLineThatIsNotUTF8IsOneFailedRow() async throws {
    let list = try await rows(Array("http://a/1\nhttp://a/".utf8) + [0xff, 0xc3] + Array("\nhttp://a/3".utf8))
    #expect(list.map(\.outcome) == ["http://a/1", "invalid-input", "http://a/3"])
    #expect(list[1].text == "http://a/\u{fffd}\u{fffd}")
    #expect(list[1].failure?.message == "row 2: not UTF-8")
  }

  @Test func aLineOfOneMebibyteIsReadAndALongerOneIsOneFailedRow() async throws {
    let longest = "http://a/" + String(repeating: "x", count: 1_048_576 - 9)
    for (lineEnd, length) in [("\n", 0), ("\r\n", 0), ("\n", 1), ("\r\n", 1), ("\n", 3_000_000)] {
      let line = longest + String(repeating: "y", count: length)
      let list = try await rows(line + lineEnd + "http://a/2" + lineEnd + line)
      #expect(list.map(\.row) == [1, 2, 3])
      #expect(list[1].outcome == "http://a/2")
      for row in [list[0], list[2]] {
        if length == 0 {
          #expect(row.outcome == longest)
        } else {
          #expect(row.outcome == "invalid-input")
          #expect(row.failure?.message == "row \(row.row): longer than 1 MiB")
          #expect(row.text == String(longest.prefix(200)))
        }
      }
    }
  }

  @Test func withoutALineEndWithinSixtyFourMebibytesTheRunEnds() async throws {
    let head = Array("http://a/1\n".utf8)
    let just = try await rowsAndError(head + [UInt8](repeating: 0x78, count: 64 << 20) + Array("\nhttp://a/3".utf8))
    #expect(just.rows.map(\.outcome) == ["http://a/1", "invalid-input", "http://a/3"])
    #expect(just.error == nil)
    let over = try await rowsAndError(head + [UInt8](repeating: 0x78, count: (64 << 20) + 1))
    #expect(over.rows.map(\.outcome) == ["http://a/1"])
    #expect(over.error?.stage == .input)
    #expect(over.error?.code == .invalidInput)
    #expect(over.error?.message.contains("64 MiB") == true)
  }

  @Test func theOriginalOfARowCanBeReadAgain() async throws {
    let list = try await rows("#\nhttp://u:secret@a/1?\"\n")
    #expect(JSONValue.object(list[0].original).compactText == #"{"url":"http://u:secret@a/1?\"","id":"1"}"#)
    let again = try await rows(JSONValue.object(list[0].original).compactText, name: "failed.jsonl")
    #expect(again[0].outcome == list[0].outcome)
    #expect(again[0].id == "1")
    let named = try await rows("http://a/1") { ($0.urlField, $0.idField) = ("link", "key") }
    #expect(JSONValue.object(named[0].original).compactText == #"{"link":"http://a/1","key":"1"}"#)
  }
}
