import FetchPipeline
import Testing

@testable import pipeline

/// What the command line of a run asks for, and which options contradict each other.
struct RunSettingsTests {
  private func settings(_ words: String...) throws -> RunSettings {
    try RunSettings(ParsedArguments(["config.json"] + words, for: .run))
  }

  @Test(arguments: ["3/3", "-1/3", "1", "1/0", "a/b", "1/2/3", "/", ""])
  func aShareThatIsNoneIsRefusedWithTheRule(text: String) {
    #expect {
      try settings("--shard", text)
    } throws: { error in
      let message = (error as? CommandFailure)?.message ?? ""
      return text.isEmpty || message == "--shard \(text): expected I/N with 0 ≤ I < N, as in 0/4"
    }
  }

  @Test func aShareIsOfHostsUnlessItemsAreWanted() throws {
    #expect(try settings("--shard", "0/3").options.shard == RunOptions.Shard(index: 0, count: 3, grouping: .host))
    let items = try settings("--shard=2/3", "--shard-by", "item")
    #expect(items.options.shard == RunOptions.Shard(index: 2, count: 3, grouping: .item))
    #expect(throws: CommandFailure.self) { try settings("--shard-by", "item") }
  }

  @Test func aWorkerHasItsOwnInputReportAndSilence() throws {
    let worker = try settings("--worker")
    #expect(worker.input == "-" && worker.report == "-" && worker.progress == .none)
    for options in [["--shard", "0/2"], ["--input", "a"], ["--report", "a"], ["--progress", "bar"], ["--dry-run"]] {
      #expect(throws: CommandFailure.self) {
        try RunSettings(ParsedArguments(["config.json", "--worker"] + options, for: .run))
      }
    }
  }

  @Test func theCommandLineStandsInPlaceOfTheConfiguration() throws {
    var written: JSONObject = ["input": ["path": "a.csv", "format": "csv"], "report": ["headers": true]]
    try settings("--input", "/lists/b$.csv", "--output", "/out", "--report", "-").adjust(&written, folder: "")
    #expect(
      written == [
        "input": ["path": "/lists/b$$.csv", "format": "csv"], "report": ["headers": true, "path": "-"],
        "output": ["use": "directory", "path": "/out"],
      ])
  }

  @Test func howTheListIsWrittenIsNotSaidOfAnother() throws {
    for (path, format, kept) in [
      ("out/failed.jsonl", "csv", false), ("a.csv.gz", "csv", true), ("a.csv", "csv.gz", true), ("a.txt", "csv", true),
      ("-", "tsv", true), ("rows", "tsv", true),
    ] {
      var written: JSONObject = ["input": ["path": "a", "format": .string(format), "urlField": "image"]]
      try settings("--input", path).adjust(&written, folder: "")
      guard case .object(let input)? = written["input"] else { throw CommandFailure.usage("no input") }
      #expect((input["format"] != nil) == kept, "\(path)")
      #expect(input["urlField"] == "image")
    }
  }

  @Test func aWorkerReadsPathsOnlyIfTheConfigurationSaysSo() throws {
    var silent: JSONObject = ["input": "urls.txt"]
    try settings("--worker").adjust(&silent, folder: "")
    #expect(silent["input"] == ["use": "list", "path": "-", "schemes": ["http", "https", "data"]])
    var named: JSONObject = ["input": ["schemes": ["path"]]]
    try settings("--worker").adjust(&named, folder: "")
    #expect(named["input"] == ["schemes": ["path"], "path": "-"])
  }
}
