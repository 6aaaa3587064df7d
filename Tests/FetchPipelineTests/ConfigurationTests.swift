import Testing

@testable import FetchPipeline

/// Reading a configuration: every mistake at once, in the order of the file, with what was expected.
struct ConfigurationTests {
  @Test func theSmallestConfigurationHasEveryDefault() throws {
    let configuration = try read(#"{"input": "urls.txt"}"#)
    #expect(configuration.input?.name == "list")
    #expect((configuration.input?.stage as? FakeSource)?.path == "urls.txt")
    #expect(configuration.transport?.common.connections == 64)
    #expect(configuration.transport?.common.connectionsPerHost == 6)
    #expect(configuration.transport?.common.maxBytes == .megabytes(64))
    #expect(configuration.transform.count == 1)
    #expect((configuration.transform.first?.stage as? FakeResize)?.width == 256)
    #expect(configuration.encode?.name == "auto")
    #expect((configuration.output?.stage as? FakeOutput)?.path == "thumbnails")
    #expect(configuration.limits == Limits())
  }

  @Test func allMistakesAreReportedInTheOrderOfTheFile() {
    let text = """
      {
        // three mistakes in one stage, one elsewhere, and a missing input
        transform: [{use: "resize", widht: 10, fit: "insde", height: "tall"}],
        transport: {use: "curl", connections: 0, nonsense: 1, stallTimeout: "5 parsecs"},
        colour: 1,
      }
      """
    #expect(
      problems(text) == [
        #"config.json: transform[0].widht: unknown option of "resize"; did you mean "width"?"#,
        #"config.json: transform[0].fit: "insde" is not known here; did you mean "inside"?"#,
        #"config.json: transform[0].height: "tall" is not an integer"#,
        "config.json: transport.connections: 0 is not between 1 and 10000",
        #"config.json: transport.nonsense: unknown option of "curl"; known: stallTimeout, connections, "#
          + "connectionsPerHost, requestsPerSecondPerHost, maxBytes, redirects, retry, negativeLifetime",
        #"config.json: transport.stallTimeout: "5 parsecs" is not a duration: seconds, or "250ms" (also s, m, h, d)"#,
        "config.json: colour: unknown option of a configuration",
        #"config.json: "input" is missing: where rows come from: a path, or a stage"#,
      ])
  }

  @Test func aSyntaxErrorHasLineAndColumn() {
    #expect(
      problems("{\n  input: \"a\",\n  oops\n}") == ["config.json:4:1: a colon is expected after the name \"oops\""])
  }

  @Test func stagesThatAreNotKnownAreNamedWithTheNearest() {
    #expect(
      problems(#"{input: "a", transform: ["rezise"]}"#) == [
        #"config.json: transform[0]: "rezise" is not a stage of "transform"; did you mean "resize"?"#
      ])
    #expect(
      problems(#"{input: {use: "csv"}}"#) == [
        #"config.json: input: "csv" is not a stage of "input"; known: list"#
      ])
  }

  @Test func aSlotWithOneStageNeedsNoName() throws {
    let configuration = try read(#"{input: {path: "a"}, transport: {connections: 3}}"#)
    #expect((configuration.input?.stage as? FakeSource)?.path == "a")
    #expect(configuration.transport?.common.connections == 3)
    #expect(problems(#"{input: {pth: "a"}}"#).first?.contains("unknown option") == true)
  }

  @Test func slotsThatDoNotExistAreUnknown() {
    #expect(
      problems(#"{input: "a", transfrom: []}"#) == [
        #"config.json: transfrom: unknown option of a configuration; did you mean "transform"?"#
      ])
  }

  @Test func aHigherVersionIsRefused() {
    #expect(
      problems(#"{version: 2, input: "a"}"#) == [
        "config.json: version: version 2 is not known here; this program reads version 1"
      ])
  }

  @Test func theEnvironmentIsExpanded() throws {
    let text = #"{input: "${LIST}/a$$b.txt", transport: {use: "curl", connections: "${COUNT}"}}"#
    let configuration = try read(text, environment: ["LIST": "/lists", "COUNT": "7"])
    #expect((configuration.input?.stage as? FakeSource)?.path == "/lists/a$b.txt")
    #expect(configuration.transport?.common.connections == 7)
    #expect(
      problems(#"{input: "${NOWHERE}"}"#) == [
        "config.json: input: the environment variable NOWHERE is not set"
      ])
  }

  @Test(arguments: [
    ("1", 1), ("\"512KB\"", 512_000), ("\"512KiB\"", 524_288), ("\"64MB\"", 64_000_000), ("\"1.5 MiB\"", 1_572_864),
    ("\"1GB\"", 1_000_000_000), ("\"1GiB\"", 1_073_741_824),
  ]) func sizes(text: String, bytes: Int) throws {
    let configuration = try read("{input: \"a\", transport: {use: \"curl\", maxBytes: \(text)}}")
    #expect(configuration.transport?.common.maxBytes.bytes == bytes)
  }

  @Test func aBareLetterIsNoUnit() {
    #expect(
      problems(#"{input: "a", transport: {use: "curl", maxBytes: "64M"}}"#) == [
        #"config.json: transport.maxBytes: "64M": write MB (powers of 1,000) or MiB (powers of 1,024)"#
      ])
  }

  @Test(arguments: [
    ("2", Duration.seconds(2)), ("0.5", .milliseconds(500)), ("\"250ms\"", .milliseconds(250)),
    ("\"10s\"", .seconds(10)),
    ("\"2m\"", .seconds(120)), ("\"1h\"", .seconds(3600)), ("\"7d\"", .seconds(604_800)),
  ]) func durations(text: String, duration: Duration) throws {
    let configuration = try read("{input: \"a\", limits: {itemTime: \(text)}}")
    #expect(configuration.limits.itemTime == duration)
  }

  @Test(arguments: [
    ("#abc", "#aabbcc"), ("#a1b2c3", "#a1b2c3"), ("#a1b2c380", "#a1b2c380"), ("transparent", "#00000000"),
    ("white", "#ffffff"), ("black", "#000000"),
  ]) func colours(text: String, written: String) {
    #expect(Color(css: text)?.description == written)
  }

  @Test(arguments: ["#ab", "abc", "#abcd", "#gggggg", "red", ""]) func noColours(text: String) {
    #expect(Color(css: text) == nil)
  }

  @Test func oneStageAloneIsAListOfOne() throws {
    let configuration = try read(#"{input: "a", transform: {use: "resize", height: 5}}"#)
    #expect((configuration.transform.first?.stage as? FakeResize)?.height == 5)
  }

  @Test func whatIsReadCanBeWrittenAndReadAgain() throws {
    let first = try read(#"{input: "a", transport: {use: "curl", maxBytes: "3MB"}, limits: {decodeTime: "90s"}}"#)
    let text = JSONValue.object(first.effectiveOptions).indentedText.replacing("null", with: "\"\"")
    #expect(text.contains(#""maxBytes": "3MB""#))
    #expect(text.contains(#""decodeTime": "90s""#))
  }

  // MARK: Reading

  private func read(_ text: String, environment: [String: String] = [:]) throws -> PipelineConfiguration {
    try PipelineConfiguration(
      text: Array(text.utf8), file: "config.json", folder: "", registry: Self.registry, environment: environment)
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch {
      return String(describing: error).split(separator: "\n").map(String.init)
    }
  }

  private static let registry: StageRegistry = {
    var registry = StageRegistry()
    registry.register(FakeSource.self)
    registry.register(HTTPRequestBuilder.self)
    registry.register(FakeTransport.self)
    registry.register(FakeResize.self)
    registry.register(FakeEncoder.self)
    registry.register(FakeOutput.self)
    return registry
  }()
}

// MARK: Stages that can be configured, and nothing else

private struct FakeSource: Stage {
  typealias Slot = InputSlot
  var path = ""
  static let name = "list"
  static let summary = "rows"
  static let options: [OptionDeclaration<FakeSource>] = [.init("path", \.path, "the file", required: true)]
  func make(in context: StageContext) throws -> any ItemSource { throw CancellationError() }
}

private struct FakeTransport: Stage {
  typealias Slot = TransportSlot
  var stallTimeout = Duration.seconds(10)
  static let name = "curl"
  static let summary = "moves bytes"
  static let options: [OptionDeclaration<FakeTransport>] = [.init("stallTimeout", \.stallTimeout, "nothing received")]
  func make(in context: StageContext) throws -> any Transport { throw CancellationError() }
}

private struct FakeResize: Stage {
  typealias Slot = TransformSlot
  var width: Int?
  var height: Int?
  var fit = Fit.inside
  enum Fit: String, CaseIterable, ConfigurationValue { case inside, cover }
  static let name = "resize"
  static let summary = "resizes"
  static let options: [OptionDeclaration<FakeResize>] = [
    .init("width", \.width, in: 1...1000, "the width"), .init("height", \.height, in: 1...1000, "the height"),
    .init("fit", \.fit, "how"),
  ]
  func make(in context: StageContext) throws -> any ImageTransform { throw CancellationError() }
}

private struct FakeEncoder: Stage {
  typealias Slot = EncodeSlot
  static let name = "auto"
  static let summary = "encodes"
  static let options: [OptionDeclaration<FakeEncoder>] = []
  func make(in context: StageContext) throws -> any ImageEncoder { throw CancellationError() }
}

private struct FakeOutput: Stage {
  typealias Slot = OutputSlot
  var path = ""
  static let name = "directory"
  static let summary = "writes"
  static let options: [OptionDeclaration<FakeOutput>] = [.init("path", \.path, "the folder")]
  func make(in context: StageContext) throws -> any ImageOutput { throw CancellationError() }
}
