import FetchPipeline
import Testing

/// JSON and JSON5 text, and where it goes wrong.
struct JSONReaderTests {
  private func read(_ text: String, _ dialect: JSONReader.Dialect = .json) throws -> JSONValue {
    try JSONReader.value(of: text.utf8, dialect: dialect)
  }

  private func problem(_ text: String, _ dialect: JSONReader.Dialect) -> String? {
    do {
      _ = try JSONReader.value(of: text.utf8, dialect: dialect)
      return nil
    } catch {
      return "\(error.line):\(error.column) \(error.message)"
    }
  }

  @Test(arguments: [JSONReader.Dialect.json, .json5])
  func valuesOfAllKinds(dialect: JSONReader.Dialect) throws {
    let value = try read(
      """
       { "null": null, "yes": true, "no" : false, "list": [1, -2.5e+3, [], {}], "text": "a\\"\\\\\\/\\b\\f\\n\\r\\té",
         "": "\\u00e9\\u56FE\\ud83d\\uDE00" }
      """, dialect)
    guard case .object(let object) = value else {
      Issue.record("not an object")
      return
    }
    #expect(object.members.map(\.name) == ["null", "yes", "no", "list", "text", ""])
    #expect(object["null"] == .null)
    #expect(object["yes"] == true)
    #expect(object["no"] == false)
    guard case .array(let list)? = object["list"], case .number(let number)? = list.dropFirst().first else {
      Issue.record("not a list of numbers")
      return
    }
    #expect(list.count == 4)
    #expect(list[0] == 1)
    #expect(number.text == "-2.5e+3")
    #expect(number.integer == -2500)
    #expect(list[2] == [])
    #expect(list[3] == [:])
    #expect(object["text"] == "a\"\\/\u{8}\u{c}\n\r\té")
    #expect(object[""] == "é图😀")
  }

  @Test(arguments: ["0", "-0", "1", "-1", "1.5", "1e5", "1E+5", "1.0e-5", "12345678901234567890", "1e999"])
  func numbersKeepTheirText(text: String) throws {
    guard case .number(let number) = try read(text) else {
      Issue.record("not a number")
      return
    }
    #expect(number.text == text.lowercased())
  }

  @Test(arguments: [
    ("// c\n1 // d", "1"), ("/* a\n* b */ 1 /**/", "1"), ("[1, 2,]", "[1,2]"),
    ("{a: 1, $b_2: 2, 'c d': 3, \"e\": 4,}", "{\"a\":1,\"$b_2\":2,\"c d\":3,\"e\":4}"),
    ("{größe: 1}", "{\"größe\":1}"), ("'a\"b\\'c'", "\"a\\\"b'c\""), ("\"a'b\"", "\"a'b\""), ("'a\\\nb'", "\"ab\""),
    ("'a\\\r\nb'", "\"ab\""),
    ("'\\x41\\v\\0'", "\"A\\u000b\\u0000\""), (".5", "0.5"), ("5.", "5"), ("+5", "5"), ("-.5", "-0.5"), ("0x1F", "31"),
    ("-0XfF", "-255"),
    ("5.e2", "5e2"), ("\u{b}\u{c}1", "1"), ("\u{a0}1\u{feff}\u{2028}", "1"), ("// c\r1", "1"), ("\u{feff}{}", "{}"),
  ])
  func whatJSON5Adds(text: String, expected: String) throws {
    #expect(try read(text, .json5).compactText == expected)
  }

  @Test(arguments: [
    "// c\n1", "/* */1", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "\"\\x41\"", "\"\\v\"", "\"\\'\"", ".5", "5.", "+5",
    "0x1F", "\u{b}1", "\u{a0}1",
    "\"a\\\nb\"", "\"\u{1}\"", "\"\t\"",
  ])
  func whatOnlyJSON5Takes(text: String) {
    #expect(problem(text, .json) != nil)
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "True", "truex", "1 2", "[", "[1", "[1,", "[,1]", "[1,,2]", "[1 2]", "]", "{", "{\"a\"",
    "{\"a\":", "{\"a\":1",
    "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{1:2}", "{,}", "-", "--1", "01", "-01", "00", "1.5.5", "1e", "1e+", "1a", "\"",
    "\"a", "\"\\", "\"\\u12",
    "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\q\"", "\"a\nb\"", "#1", "(1)", "1,",
    "{\"a\":1}}",
  ])
  func whatNeitherTakes(text: String) {
    #expect(problem(text, .json) != nil, "json")
    #expect(problem(text, .json5) != nil, "json5")
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    #expect(throws: JSONReader.SyntaxError.self) { try JSONReader.value(of: [0x22, 0xff, 0x22]) }
    #expect(throws: JSONReader.SyntaxError.self) { try JSONReader.value(of: [0x22, 0xed, 0xa0, 0x80, 0x22]) }
    #expect(throws: JSONReader.SyntaxError.self) {
      try JSONReader.value(of: Array("{".utf8) + [0xff] + Array(":1}".utf8), dialect: .json5)
    }
  }

  @Test(arguments: [
    ("{\n  a: 1,\n  b 2\n}", "3:5 a colon is expected after the name \"b\""),
    ("{a: 1,\n b: 2,\n  a: 3}", "3:3 \"a\" stands here twice"), ("[1,\n 2\n 3]", "3:2 a comma or \"]\" is expected"),
    ("[\"äöü😀\", x]", "1:10 a value is expected"), ("\u{feff}[x]", "1:2 a value is expected"),
    ("[1]\r\n\r\nx", "3:1 unexpected text after the value"),
    ("[1]\rx", "2:1 unexpected text after the value"), ("{a: \"x\ny\"}", "1:7 a control character stands in a string"),
    ("{a: \"x}", "1:5 the string has no end"), ("[\n  /* x", "2:3 the comment has no end"),
    ("[01]", "1:2 a number starts with a zero"),
    ("[\"\\q\"]", "1:3 an unknown escape"), ("[1", "1:3 a comma or \"]\" is expected"),
    ("[0xg]", "1:2 a hexadecimal number is expected"),
    ("", "1:1 the text ends where a value is expected"), ("{", "1:2 the text ends inside an object"),
  ])
  func errorsSayWhere(text: String, expected: String) {
    #expect(problem(text, .json5) == expected)
  }

  @Test func aNameTwiceIsAMistakeInAConfigurationOnly() throws {
    guard case .object(let object) = try read("{\"a\":1,\"a\":2}") else {
      Issue.record("not an object")
      return
    }
    #expect(object["a"] == 1)
  }

  @Test func nestingHasALimit() throws {
    let deep = { (count: Int) in String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    _ = try read(deep(200))
    #expect(problem(deep(201), .json)?.hasSuffix("nested more than 200 deep") == true)
    #expect(problem(String(repeating: "[", count: 1_000_000), .json) != nil)
    #expect(problem(String(repeating: "{\"a\":", count: 1_000_000), .json) != nil)
    // Depth, not number.
    _ = try read("[" + Array(repeating: "[]", count: 1000).joined(separator: ",") + "]")
  }
}
