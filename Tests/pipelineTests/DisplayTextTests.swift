import Testing

@testable import pipeline

/// Text from outside on a terminal: harmless, measured in columns, wrapped.
struct DisplayTextTests {
  @Test(
    arguments: [
      ("plain é 字", "plain é 字"), ("\u{1b}[31mred", "\\u{1b}[31mred"), ("a\nb\r\tc", "a\\nb\\r\\tc"),
      ("\u{9b}2J", "\\u{9b}2J"), ("a\u{202e}gpj.b", "a\\u{202e}gpj.b"), ("\u{7f}\u{0}", "\\u{7f}\\u{0}"),
      ("a\u{2028}b", "a\\u{2028}b"),
    ])
  func whatATerminalWouldObeyIsEscaped(text: String, shown: String) {
    #expect(DisplayText.escaped(text) == shown)
  }

  @Test(arguments: [("abc", 3), ("字字", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("한글", 4), ("×—…", 3), ("", 0)])
  func columnsAreCountedAsTerminalsDo(text: String, columns: Int) {
    #expect(DisplayText.width(of: text) == columns)
  }

  @Test func whatIsTooLongIsShortenedToTheColumns() {
    #expect(DisplayText.shortened("abcdef", to: 6) == "abcdef")
    #expect(DisplayText.shortened("abcdef", to: 4) == "abc…")
    #expect(DisplayText.shortened("字字字", to: 4) == "字…")
    let url = DisplayText.shortened("http://example.org/a/very/long/path/photo.jpg", to: 30, inTheMiddle: true)
    #expect(url == "http://example.org/a…photo.jpg")
    #expect(DisplayText.width(of: url) == 30)
    #expect(DisplayText.shortened("abc", to: 0) == "")
  }

  @Test func linesBreakAtSpacesAndLongWordsWhereTheyMust() {
    #expect(DisplayText.wrapped("one two three", columns: 7) == ["one two", "three"])
    #expect(DisplayText.wrapped("abcdefgh ij", columns: 3) == ["abc", "def", "gh", "ij"])
    #expect(DisplayText.wrapped("inside|cover|contain", columns: 15) == ["inside|cover|", "contain"])
    #expect(DisplayText.wrapped("字字字", columns: 4) == ["字字", "字"])
    #expect(DisplayText.wrapped("字", columns: 1) == ["字"])
    #expect(DisplayText.wrapped("", columns: 9) == [""])
  }

  @Test func columnsOfATableAreAlignedAndTheirCellsWrapped() {
    let table = TextTable(
      rows: [["a", "1"], ["字字", "a meaning that is longer than the line has room for"]], most: [10])
    #expect(
      table.lines(width: 40) == [
        "  a     1", "  字字  a meaning that is longer than", "        the line has room for",
      ])
  }

  @Test func aNarrowTerminalHasTheLastColumnBelow() {
    let table = TextTable(rows: [["--option VALUE", "what it means in some words"]], most: [20])
    #expect(table.lines(width: 30) == ["  --option VALUE", "      what it means in some", "      words"])
  }

  @Test(arguments: [20, 40, 80, 120])
  func noHelpPageIsWiderThanTheTerminal(width: Int) {
    // Example lines stay whole, to be copied.
    for command in Program.commands {
      let examples = Set(command.examples.map { "  \($0.line)" } + [command.usage])
      for line in HelpText.page(of: command, width: width).split(separator: "\n").map(String.init)
      where !examples.contains(line) {
        #expect(DisplayText.width(of: line) <= width, "\(command.name): \(line)")
      }
    }
  }
}
