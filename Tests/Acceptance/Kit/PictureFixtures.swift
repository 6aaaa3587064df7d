import FetchPipeline

/// The fixtures of picture files, made and run once for all tests that look at them.
struct PictureFixtures {
  /// Where the program ran: the fixtures are in "files", the pictures in "out".
  let folder: WorkingFolder
  let all: [Fixture]
  let report: Report
  let outcome: BuiltProgram.Outcome

  /// A line of "fixtures.jsonl".
  struct Fixture {
    let file: String
    let kind: String
    let oracles: [String]
    /// Why one of the usual oracles is none, or what is instead.
    let reason: String?
    /// The error that it must end with; nil where it becomes pictures.
    let code: String?

    init(_ line: JSONObject) {
      file = line.text("file") ?? ""
      kind = line.text("kind") ?? ""
      oracles = line.texts("oracles")
      reason = line.text("why")
      code = line.text("code")
    }
  }

  /// Makes the fixtures, and of each four pictures: one of its own size, and small ones in all formats.
  init() async throws {
    folder = try WorkingFolder()
    _ = try await Python.runLong("make_fixtures.py", [folder.path("files")])
    all = try folder.lines("files/fixtures.jsonl").compactMap {
      guard case .object(let line) = try JSONReader.value(of: Array($0.utf8)) else { return nil }
      return Fixture(line)
    }
    try folder.write(all.map { "files/\($0.file)" }.joined(separator: "\n"), to: "list.txt")
    try folder.write(Self.configuration, to: "config.json")
    outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    report = try Report(folder, "out/report.jsonl")
  }

  /// What the program says of a fixture.
  func result(of fixture: Fixture) -> JSONObject? { report.lines.first { $0.text("url") == "files/\(fixture.file)" } }

  private static let configuration = """
    {input: {use: "list", path: "list.txt", schemes: ["path"]}, cache: [],
     renditions: [
       {name: "full", transform: [{use: "resize", width: 2000, height: 2000}], encode: "png"},
       {name: "small", transform: [{use: "resize", width: 48, height: 48}], encode: "png"},
       {name: "jpeg", transform: [{use: "resize", width: 48, height: 48}],
        encode: {use: "jpeg", quality: 95, subsampling: "4:4:4"}},
       {name: "webp", transform: [{use: "resize", width: 48, height: 48}], encode: {use: "webp", quality: 95}}],
     output: {use: "directory", path: "out", name: "{name}{rendition}.{ext}"}}
    """
}
