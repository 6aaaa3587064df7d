import FetchPipeline
import Testing

/// JSON text as it is written.
struct JSONWriterTests {
  private let value: JSONValue = ["a": [1, true, .null, []], "b\"\\": "é\u{1}\n\r\t\u{7f}/\u{2028}", "c": [:]]

  @Test func onOneLine() {
    #expect(
      value.compactText
        == "{\"a\":[1,true,null,[]],\"b\\\"\\\\\":\"é\\u0001\\n\\r\\t\\u007f/\u{2028}\",\"c\":{}}")
    #expect(value.encoded() == Array(value.compactText.utf8))
  }

  @Test func overSeveralLines() {
    #expect(
      value.indentedText == """
        {
          "a": [
            1,
            true,
            null,
            []
          ],
          "b\\"\\\\": "é\\u0001\\n\\r\\t\\u007f/\u{2028}",
          "c": {}
        }
        """)
  }

  @Test func whatIsWrittenReadsBack() throws {
    #expect(try JSONReader.value(of: value.encoded()) == value)
    #expect(try JSONReader.value(of: value.indentedText.utf8) == value)
    let controls = JSONValue.string(String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init))))
    #expect(try JSONReader.value(of: controls.encoded()) == controls)
  }
}
