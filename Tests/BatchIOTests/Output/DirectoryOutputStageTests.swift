import BatchIO
import FetchPipeline
import Testing

@Suite struct DirectoryOutputStageTests {
  func read(_ text: String) throws -> (selection: StageSelection<OutputSlot>?, problems: [String]) {
    var registry = StageRegistry()
    registry.register(DirectoryOutputStage.self)
    let scope = ConfigurationScope(registry: registry, folder: "conf", environment: [:]).member("output")
    let selection = StageSelection<OutputSlot>.read(try JSONReader.value(of: text.utf8), in: scope)
    return (selection, scope.problems.map { "\($0.path): \($0.message)" })
  }

  @Test func theDefaultsAreTheContracts() throws {
    let (selection, problems) = try read(#"{"use": "directory"}"#)
    #expect(problems == [])
    #expect(
      selection?.json.compactText
        == #"{"use":"directory","path":"thumbnails","name":"{name}-{hash}{rendition}.{ext}","durability":"batch"}"#)
  }

  @Test func aBareStringIsTheFolder() throws {
    let stage = try #require(try read(#""out""#).selection?.stage as? DirectoryOutputStage)
    #expect(stage.path == "out")
    let output = try #require(try stage.make(in: StageContext(folder: "conf")) as? DirectoryOutput)
    #expect(output.folder == "conf/out")
    #expect(output.durability == .batch)
    #expect(output.template == .standard)
  }

  @Test func mistakesAreNotedWithTheirPlace() throws {
    let (_, problems) = try read(
      #"{"use": "directory", "path": "", "name": "{nmae}", "durability": "echa", "nam": "x"}"#)
    #expect(
      problems == [
        "output.path: a folder is expected",
        "output.name: \"{nmae}\" is not a token of names; did you mean \"name\"?",
        "output.durability: \"echa\" is not known here; did you mean \"each\"?",
        "output.nam: unknown option of \"directory\"; did you mean \"name\"?",
      ])
  }
}
