import Foundation
import Testing

/// Mistakes of the user: said clearly, before anything is done.
struct MistakeTests {
  @Test func threeMistakesAreThreeMessagesAndNothingIsMade() async throws {
    let folder = try WorkingFolder()
    try folder.write("http://example.invalid/a.jpg", to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", transform: [{use: "resize", widht: 100}], transport: "crul", limits: {side: "long"}}"#,
      to: "config.json")
    for command in ["run", "check"] {
      let outcome = try await BuiltProgram.run([command, "config.json"], in: folder)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors == """
          config.json: transform[0].widht: unknown option of "resize"; did you mean "width"?
          config.json: transport: "crul" is not a stage of "transport"; did you mean "curl"?
          config.json: limits.side: "long" is not an integer

          """)
    }
    #expect(!folder.exists("thumbnails"))
  }

  @Test func whatIsNotThereIsNamed() async throws {
    let folder = try WorkingFolder()
    let missing = try await BuiltProgram.run(["run", "nowhere.json"], in: folder)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("nowhere.json"))
    try folder.write(#"{input: "nowhere.txt"}"#, to: "config.json")
    let list = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(list.status == 2, "\(list.errors)")
    #expect(list.errors.contains("nowhere.txt"))
    #expect(!folder.exists("thumbnails"))
  }

  @Test func aListThatIsNotAsTheConfigurationSaysIsAMistakeOfIt() async throws {
    let folder = try WorkingFolder()
    try folder.write("sku,image\n1,http://host.invalid/1.jpg\n", to: "list.csv")
    try folder.write(#"{input: {use: "list", path: "list.csv", urlField: "images"}}"#, to: "config.json")
    for command in ["run", "check"] {
      let outcome = try await BuiltProgram.run([command, "config.json"], in: folder)
      #expect(outcome.status == 2, "\(command)")
      #expect(outcome.errors.hasPrefix("config.json: input.urlField: the first line of the list names no column"))
      #expect(outcome.errors.contains(#"did you mean "image"?"#))
    }
    try folder.write(#"{input: "."}"#, to: "config.json")
    let list = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(list.status == 2)
    #expect(list.errors.contains("is a folder, not a list"))
    #expect(!folder.exists("thumbnails"))
    // What comes through a pipe shows it later.
    try folder.write(
      #"{input: {use: "list", path: "-", format: "csv", urlField: "images"}}"#, to: "config.json")
    let piped = try await BuiltProgram.run(["run", "config.json"], in: folder, input: folder.path("list.csv"))
    #expect(piped.status == 2)
    #expect(piped.errors.contains("input.urlField: the first line of the list"), "\(piped.errors)")
  }

  /// Putting the file there is the most natural thing to do about one that is missing.
  @Test func aFileThatWasMissingIsLookedForAgain() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 1")
    let picture = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).first)
    try folder.write("late.jpg\n", to: "urls.txt")
    try folder.write(#"{input: "urls.txt", cache: []}"#, to: "config.json")
    let first = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(first.status == 1)
    #expect(first.errors.contains("1 is looked for again by the same command."), "\(first.errors)")
    try folder.write(try folder.read("origin/\(picture)"), to: "late.jpg")
    #expect(try await BuiltProgram.run(["run", "config.json"], in: folder).status == 0)
  }

  @Test func anOutputFolderThatCannotBeWrittenEndsTheRunBeforeAnythingIsFetched() async throws {
    let folder = try WorkingFolder()
    let nginx = try await NginxOrigin(folder)
    try folder.write("x", to: "file")
    try folder.write(nginx.url("a.jpg"), to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", output: "file/thumbnails", transport: {use: "curl", allowHosts: ["127.0.0.1"]}}"#,
      to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 74, "\(outcome.errors)")
    #expect(try nginx.requests().isEmpty)
  }

  @Test func wordsOfTheCommandLine() async throws {
    let folder = try WorkingFolder()
    let unknown = try await BuiltProgram.run(["rnu", "config.json"], in: folder)
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains(#"did you mean "run"?"#))
    let option = try await BuiltProgram.run(["run", "config.json", "--progres", "none"], in: folder)
    #expect(option.status == 2)
    #expect(option.errors.contains(#"did you mean "--progress"?"#))
    let version = try await BuiltProgram.run(["--version"], in: folder)
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("pipeline 0."))
    let help = try await BuiltProgram.run(["help", "run"], in: folder)
    #expect(help.status == 0)
    #expect(help.output.contains("pipeline run CONFIG"))
  }

  @Test func checkPrintsTheAssembledPipeline() async throws {
    let folder = try WorkingFolder()
    try folder.write("", to: "urls.txt")
    try folder.write(#"{input: "urls.txt", transform: {use: "resize", width: 100}}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["check", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    for part in ["resize", "width", "100", "connectionsPerHost", "thumbnails"] {
      #expect(outcome.output.contains(part))
    }
    #expect(!folder.exists("thumbnails"))
  }
}
