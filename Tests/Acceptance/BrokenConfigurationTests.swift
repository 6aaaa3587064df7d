import FetchPipeline
import Foundation
import Testing

/// What `check` and `schema` say of configurations, broken ones above all.
struct BrokenConfigurationTests {
  /// A mistake of each kind, with the words that users read.
  private static let broken: [(text: String, message: String)] = [
    (
      "{\n  input: \"urls.txt\"\n  output: \"out\"\n}",
      #"config.json:3:3: a comma or "}" is expected"#
    ),
    (
      #"{input: "urls.txt", transform: ["rezise"]}"#,
      #"config.json: transform[0]: "rezise" is not a stage of "transform"; did you mean "resize"?"#
    ),
    (
      #"{input: "urls.txt", transform: [{use: "resize", widht: 100}]}"#,
      #"config.json: transform[0].widht: unknown option of "resize"; did you mean "width"?"#
    ),
    (
      #"{input: "urls.txt", resize: {width: 100}}"#,
      #"config.json: resize: unknown option of a configuration; "resize" is a stage of "transform""#
    ),
    (
      #"{input: "urls.txt", transport: {userAgent: "me", pixels: 5, output: "out"}}"#,
      #"""
      config.json: transport.userAgent: unknown option of "curl"; it is an option of "http" (request)
      config.json: transport.pixels: unknown option of "curl"; it is an option of "limits"
      config.json: transport.output: unknown option of "curl"; "output" stands at the top of a configuration
      """#
    ),
    (
      #"{input: "urls.txt", cache: false, transport: {retry: 5}}"#,
      #"""
      config.json: cache: false is not a stage: a name, or {"use": NAME, …}; [] is none
      config.json: transport.retry: 5 is not an object of attempts, backoff, maxBackoff
      """#
    ),
    (
      #"{input: "urls.txt", plugins: ["missing.so"], transform: "theirs"}"#,
      "config.json: plugins[0]: missing.so: No such file or directory"
    ),
    (
      #"{input: "urls.txt", transport: {connections: "many"}}"#,
      #"config.json: transport.connections: "many" is not an integer"#
    ),
    (
      #"{input: "urls.txt", transport: {connectTimeout: "10 sec"}}"#,
      #"config.json: transport.connectTimeout: "10 sec" is not a duration: seconds, or "250ms" (also s, m, h, d)"#
    ),
    (
      #"{input: "urls.txt", renditions: [{name: "a"}], transform: "grayscale"}"#,
      #"config.json: renditions: stands beside "transform": it is one or the other"#
    ),
    (
      #"{input: "urls.txt", output: "${NO_SUCH_VARIABLE}"}"#,
      "config.json: output: the environment variable NO_SUCH_VARIABLE is not set"
    ),
    (
      #"{input: "urls.txt", limits: {memory: "512M"}}"#,
      #"config.json: limits.memory: "512M": write MB (powers of 1,000) or MiB (powers of 1,024)"#
    ),
    (
      #"{output: "thumbnails"}"#, #"config.json: "input" is missing: where rows come from: a path, or a stage"#
    ),
    (
      #"{version: 2, input: "urls.txt"}"#,
      "config.json: version: version 2 is not known here; this program reads version 1"
    ),
  ]

  @Test(arguments: broken.indices)
  func eachMistakeIsSaidInTheSameWords(index: Int) async throws {
    let folder = try WorkingFolder()
    try folder.write("", to: "urls.txt")
    try folder.write(Self.broken[index].text, to: "config.json")
    for command in ["check", "run"] {
      let outcome = try await BuiltProgram.run([command, "config.json"], in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.errors == Self.broken[index].message + "\n")
      #expect(outcome.output.isEmpty)
    }
    #expect(!folder.exists("thumbnails"))
  }

  @Test func theSchemaAcceptsWhatIsRightAndRejectsWhatIsNot() async throws {
    let folder = try WorkingFolder()
    let good: [JSONValue] = [
      ["input": "urls.txt"],
      ["input": ["path": "a.csv", "format": "csv", "urlField": 3, "header": false, "schemes": ["http"]]],
      ["input": "a", "transform": ["grayscale", ["use": "resize", "width": 10, "fit": "cover"]], "encode": "webp"],
      ["input": "a", "transform": ["use": "a-plugin", "strength": 3], "decode": ["use": "gif"]],
      [
        "version": 1, "input": "a",
        "transport": ["allowHosts": "127.0.0.1", "retry": ["attempts": 2], "maxBytes": "1MiB"],
        "limits": ["decodeTime": 3, "memory": "512MiB"], "report": ["headers": true], "state": "state",
      ],
      ["input": "a", "transport": ["use": "curl", "connections": "${COUNT}", "stallTimeout": "${SECONDS}s"]],
      ["input": "a", "renditions": [["name": "s", "transform": ["use": "resize", "width": 3]], ["name": "t"]]],
    ]
    let bad: [JSONValue] = [
      [:], ["input": "a", "colour": 1], ["input": 5], ["version": 2, "input": "a"],
      ["input": "a", "transform": ["use": "resize", "widht": 10]], ["input": "a", "transform": [["width": 10]]],
      ["input": "a", "renditions": [["name": "s"]], "encode": "png"],
      ["input": "a", "renditions": [["name": "s"]], "transform": []], ["input": "a", "limits": ["memory": "512M"]],
      ["input": "a", "transport": ["stallTimeout": "5 parsecs"]], ["input": "a", "transport": ["connections": 0]],
      ["input": "a", "transport": ["use": "curl", "proxi": "http://a"]], ["input": "a", "output": ["name": 5]],
    ]
    let schema = try await BuiltProgram.run(["schema"], in: folder, output: folder.path("schema.json"))
    #expect(schema.status == 0)
    var names: [String] = []
    for (index, configuration) in (good + bad).enumerated() {
      names.append(folder.path("\(index).json"))
      try folder.write(configuration.compactText, to: "\(index).json")
    }
    let verdicts = try Python.run("validate_configurations.py", [folder.path("schema.json")] + names)
      .split(separator: "\n").map { $0 == "yes" }
    #expect(verdicts.count == good.count + bad.count)
    for (index, verdict) in verdicts.enumerated() {
      #expect(verdict == (index < good.count), "\((good + bad)[index].compactText)")
    }
  }

  @Test func theExamplesAreAcceptedByTheSchemaAndByTheProgram() async throws {
    let folder = try WorkingFolder()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Examples").path
    let names = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix("config.json") }
    #expect(!names.isEmpty)
    _ = try await BuiltProgram.run(["schema"], in: folder, output: folder.path("schema.json"))
    for name in names {
      let text = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(name)")))
      try folder.write(try JSONReader.value(of: text, dialect: .json5).compactText, to: "strict.json")
      let verdict = try Python.run(
        "validate_configurations.py", [folder.path("schema.json"), folder.path("strict.json")])
      #expect(verdict == "yes\n", "\(name)")
      #expect(try await BuiltProgram.run(["check", "\(root)/\(name)"], in: folder).status == 0, "\(name)")
    }
  }

  @Test func withAConfigurationNoOtherStagesPass() async throws {
    let folder = try WorkingFolder()
    try folder.write(#"{input: "a"}"#, to: "config.json")
    let schema = try await BuiltProgram.run(
      ["schema", "--config", "config.json"], in: folder, output: folder.path("schema.json"))
    #expect(schema.status == 0)
    try folder.write(#"{"input": "a", "transform": {"use": "a-plugin"}}"#, to: "a.json")
    try folder.write(#"{"input": "a", "transform": "grayscale"}"#, to: "b.json")
    let verdicts = try Python.run(
      "validate_configurations.py", [folder.path("schema.json"), folder.path("a.json"), folder.path("b.json")])
    #expect(verdicts == "no\nyes\n")
  }

  @Test func checkShowsNoSecretAndEveryValue() async throws {
    let folder = try WorkingFolder()
    try folder.write("http://example.invalid/a.jpg", to: "urls.txt")
    try folder.write(
      #"""
      {input: "urls.txt", transport: {proxy: "http://me:${PASSWORD}@proxy.example:1"}, output: {name: "{name}.{ext}"},
       request: {headers: {Authorization: "Bearer ${TOKEN}"}}}
      """#, to: "config.json")
    let outcome = try await BuiltProgram.run(
      ["check", "config.json"], in: folder, environment: ["PASSWORD": "hunter2", "TOKEN": "sesame"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("hunter2") && !outcome.output.contains("sesame"))
    #expect(outcome.output.contains("${PASSWORD}") && outcome.output.contains("Bearer ${TOKEN}"))
    for name in ["memory", "readAhead", "workers", "thumbnails/report.jsonl", "negativeLifetime"] {
      #expect(outcome.output.contains(name), "\(name)")
    }
    #expect(outcome.output.hasSuffix("config.json is valid\n"))
    #expect(outcome.errors.contains("{hash}"))
    #expect(!folder.exists("thumbnails"))
  }
}
