import BatchIO
import FetchPipeline
import PipelineTesting
import Testing

@Suite struct ListInputStageTests {
  func read(_ text: String) throws -> (selection: StageSelection<InputSlot>?, problems: [String]) {
    var registry = StageRegistry()
    registry.register(ListInputStage.self)
    let scope = ConfigurationScope(registry: registry, folder: "conf", environment: [:]).member("input")
    let selection = StageSelection<InputSlot>.read(try JSONReader.value(of: text.utf8), in: scope)
    return (selection, scope.problems.map { "\($0.path): \($0.message)" })
  }

  @Test func aBareStringIsTheFileAndTheRestHasDefaults() throws {
    let (selection, problems) = try read(#""urls.txt""#)
    #expect(problems == [])
    let stage = try #require(selection?.stage as? ListInputStage)
    #expect(stage.path == "urls.txt")
    #expect(stage.format == .auto)
    #expect(stage.urlField == "url")
    #expect(stage.idField == "id")
    #expect(stage.header)
    #expect(stage.schemes == [.http, .https, .data, .path])
  }

  @Test func mistakesAreNotedWithTheirPlace() throws {
    let (_, problems) = try read(#"{"use": "list", "format": "jsnol", "schemes": ["http", "ftp"], "urlfield": "x"}"#)
    #expect(
      problems == [
        "input.format: \"jsnol\" is not known here; did you mean \"jsonl\"?",
        "input.schemes[1]: \"ftp\" is not known here; did you mean \"http\"?",
        "input.urlfield: unknown option of \"list\"; did you mean \"urlField\"?",
        "input: \"path\" is missing: the file; - is standard input",
      ])
  }

  @Test func aMissingFileIsSaidBeforeAnythingIsRead() throws {
    let folder = try TemporaryFolder()
    let source = try #require(try read(#""urls.txt""#).selection?.stage).make(in: StageContext(folder: folder.path))
    let error = #expect(throws: PipelineError.self) { try source.check() }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains(folder("urls.txt")) == true)
    try writeFile(folder("urls.txt"), "")
    try source.check()
    // Standard input is always there, and not in a folder.
    let input = try #require(try read(#""-""#).selection?.stage).make(in: StageContext(folder: "no/such/folder"))
    try input.check()
  }

  @Test func withoutAHeaderTheColumnOfURLsHasANumber() throws {
    let (_, problems) = try read(#"{"use": "list", "path": "x.csv", "header": false}"#)
    #expect(
      problems == ["input.urlField: without a header this is the number of a column, from 1, not \"url\""])
    #expect(try read(#"{"use": "list", "path": "x.csv", "header": false, "urlField": "0"}"#).problems.count == 1)
    #expect(try read(#"{"use": "list", "path": "x.csv", "header": false, "urlField": "2"}"#).problems == [])
  }
}
