import Testing

@testable import pipeline

/// What the words of a command line mean, by the table of commands.
struct ParsedArgumentsTests {
  private func parse(_ words: String...) throws -> ParsedArguments { try ParsedArguments(words, for: .run) }

  private func message(_ words: String...) -> String? {
    do {
      _ = try ParsedArguments(words, for: .run)
      return nil
    } catch let failure as CommandFailure {
      #expect(failure.status == .usage)
      return failure.message
    } catch {
      return "\(error)"
    }
  }

  @Test func optionsStandBeforeAndBehindWords() throws {
    let arguments = try parse("--limit", "5", "config.json", "--report=-", "-q")
    #expect(arguments.words == ["config.json"])
    #expect(arguments["--limit"] == "5")
    #expect(arguments["--report"] == "-")
    #expect(arguments.contains("--quiet"))
    #expect(!arguments.contains("--fresh"))
  }

  @Test func twoDashesEndTheOptionsAndOneIsAWord() throws {
    #expect(try parse("--", "--quiet").words == ["--quiet"])
    #expect(try parse("-").words == ["-"])
    #expect(try parse("--input", "-", "c").words == ["c"])
  }

  @Test func aValueKeepsItsEqualsSigns() throws {
    #expect(try parse("c", "--input=a=b")["--input"] == "a=b")
  }

  @Test func mistakesSayWhatWasExpected() {
    #expect(message("c", "--limt", "5") == #"unknown option --limt of "run"; did you mean "--limit"?"#)
    #expect(
      message("c", "--progress", "bra")
        == #"--progress bra: expected auto, bar, plain, json, none; did you mean "bar"?"#)
    #expect(message("c", "--progress", "x") == "--progress x: expected auto, bar, plain, json, none")
    #expect(message("c", "--limit") == "--limit needs a value: N")
    #expect(message("c", "--fresh=yes") == "--fresh takes no value")
    #expect(message("c", "--fresh", "--fresh") == "--fresh is given twice")
    #expect(message("c", "--input=") == "--input: the value is empty")
    #expect(message("a", "b") == #""b" is one word too many: pipeline run CONFIG [options]"#)
    #expect(message()?.hasPrefix("CONFIG is missing") == true)
  }

  @Test func whatMayBeGivenSeveralTimesKeepsAll() throws {
    let arguments = try ParsedArguments(["a", "--allow-host", "x", "--allow-host=y"], for: .thumb)
    #expect(arguments.all("--allow-host") == ["x", "y"])
  }

  @Test func aWordThatIsOneOfAFewIsChecked() {
    #expect(throws: CommandFailure.self) { try ParsedArguments(["fish"], for: .completions) }
  }

  @Test(arguments: ["0", "-1", "many", "1.5", "99999999999999999999"])
  func aLimitIsAWholeNumberFromOne(text: String) throws {
    #expect(throws: CommandFailure.self) { try RunSettings(try ParsedArguments(["c", "--limit=\(text)"], for: .run)) }
  }
}
