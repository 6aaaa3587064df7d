import PipelineTesting
import StandardStages
import Testing

/// Stages in C: their options are read as built-in ones are, and what they return is what a built-in stage would throw.
struct CPluginTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private let unlimited = DecodeCheckpoint(cpuTime: .seconds(1000))

  @Test func theExampleDecodesPicturesOfBothDepths() throws {
    let registry = try StageRegistry.withPlugin(BuiltPlugins.path("libPNM.so"))
    let stage = try #require(registry.stages(in: DecodeSlot.self).first { $0.name == "pnm" })
    let decoder = try stage.withDefaults().make(in: StageContext())

    let color = SharedBytes(Array("P6 # two pixels\n2 1\n100\n".utf8) + [0, 50, 100, 100, 0, 1])
    #expect(decoder.matches(color))
    let session = decoder.makeSession()
    let probe = try session.probe(color, limits: Limits())
    #expect(probe.format == ImageFormat(rawValue: "pnm"))
    #expect(probe.storedSize == PixelSize(width: 2, height: 1))
    #expect(probe.layout == .rgb && probe.depth == .eight)
    let image = try session.decode(color, probe: probe, plan: DecodePlan(), checkpoint: unlimited).image
    #expect(image.withUnsafeBytes(ofPlane: 0) { Array($0.prefix(6)) } == [0, 128, 255, 255, 0, 3])

    let deep = SharedBytes(Array("P5\n1 2\n65535\n".utf8) + [0x12, 0x34, 0xff, 0xff])
    let deepProbe = try session.probe(deep, limits: Limits())
    #expect(deepProbe.layout == .gray && deepProbe.depth == .sixteen)
    let gray = try session.decode(deep, probe: deepProbe, plan: DecodePlan(), checkpoint: unlimited).image
    let rows = gray.withUnsafeBytes(ofPlane: 0) { bytes in
      [0, gray.planes[0].bytesPerRow].map { bytes.load(fromByteOffset: $0, as: UInt16.self) }
    }
    #expect(rows == [0x1234, 0xffff])
  }

  @Test func optionsAreDeclaredAsBuiltInOnesAre() throws {
    try CompiledPlugin.make(CPluginSource.transform(name: "darken"), at: folder("plugin.so"))
    let registry = try StageRegistry.withPlugin(folder("plugin.so"))
    let description = try #require(registry.descriptions.last)
    #expect(description.slot == "transform" && description.name == "darken")
    #expect(description.options.map(\.name) == ["by", "works"])
    #expect(description.options.map(\.defaultValue) == [.integer(50), .string("always")])
    #expect(description.options[1].type.name == #""always", "never""#)
    #expect(
      description.schema.compactText.contains(
        #""by":{"anyOf":[{"type":"integer"},"#), "\(description.schema.compactText)")
    #expect(description.schema.compactText.contains(#""description":"percent","default":50}"#))
    let text = """
      {plugins: "plugin.so", input: "a", transform: [
        {use: "darken", bye: 1}, {use: "darken", by: 101, works: "nver"}, {use: "darken", by: 30}]}
      """
    #expect(
      problems(text) == [
        #"transform[0].bye: unknown option of "darken"; did you mean "by"?"#,
        "transform[1].by: 101 is not between 0 and 100",
        #"transform[1].works: "nver" is not known here; did you mean "never"?"#,
      ])
  }

  @Test func optionsAreInTheEffectiveConfigurationAndInTheRecipe() throws {
    try CompiledPlugin.make(CPluginSource.transform(name: "darken"), at: folder("plugin.so"))
    let prints = try ["{use: \"darken\", by: 30}", "{use: \"darken\", by: 31}", "\"darken\""].map { stage in
      let configuration = try read("{plugins: \"plugin.so\", input: \"a\", transform: \(stage)}")
      let selection = try #require(configuration.transform.first)
      #expect(selection.json.compactText.hasPrefix(#"{"use":"darken","by":"#), "\(selection.json.compactText)")
      var print = Fingerprint("test")
      try selection.stage.make(in: StageContext()).fingerprint(into: &print)
      return print.digest().hex(16)
    }
    #expect(Set(prints).count == 3)
  }

  @Test func aTransformIsGivenItsOptionsAndThePicture() throws {
    #expect(try darkened("{use: \"darken\", by: 25}") == [75, 150, 0, 3, 6, 9])
  }

  @Test func whatATransformSaysIsTheError() throws {
    let error = #expect(throws: PipelineError.self) { try darkened("{use: \"darken\", works: \"never\"}") }
    #expect(error?.stage == .transform && error?.code == .plugin)
    #expect(error?.message == "darken: it was told so")
  }

  @Test(arguments: [
    (2, PipelineError.Stage.decode, PipelineError.Code.corrupt), (3, .decode, .truncated),
    (4, .decode, .unsupportedFeature), (6, .decode, .outOfBudget), (7, .decode, .plugin), (9, .plugin, .plugin),
  ])
  func whatADecoderReturnsIsTheError(_ status: Int, _ stage: PipelineError.Stage, _ code: PipelineError.Code) throws {
    let error = #expect(throws: PipelineError.self) { try decodeFake("\(status)") }
    #expect(error?.stage == stage && error?.code == code, "\(String(describing: error))")
  }

  @Test func aDecoderMayDecline() throws {
    #expect(throws: DecoderDeclined.self) { try decodeFake("1") }
  }

  @Test func aPictureThatThereCannotBe() throws {
    let error = #expect(throws: PipelineError.self) { try decodeFake("w") }
    #expect(error?.stage == .plugin && error?.code == .plugin)
  }

  @Test func whatIsNotWrittenIsZeroAndTheOrientationIsKept() throws {
    let image = try decodeFake("0").image
    #expect(image.size == PixelSize(width: 2, height: 3) && image.orientation.rawValue == 6)
    let row = image.planes[0].bytesPerRow
    let samples = image.withUnsafeBytes(ofPlane: 0) { bytes in [0, 1, 2, row, row + 1, row + 2].map { bytes[$0] } }
    #expect(samples == [0, 0, 0, 200, 0, 0])
  }

  @Test func aCheckpointStopsADecoder() throws {
    #expect(throws: CancellationError.self) {
      try decodeFake("0", checkpoint: DecodeCheckpoint(cpuTime: .seconds(1000)) { true })
    }
    let error = #expect(throws: PipelineError.self) {
      try decodeFake("0", checkpoint: DecodeCheckpoint(cpuTime: .zero))
    }
    #expect(error?.code == .decodeTimeout)
  }

  private func decodeFake(_ letter: String, checkpoint: DecodeCheckpoint? = nil) throws -> DecodedImage {
    try CompiledPlugin.make(CPluginSource.decoder, at: folder("plugin.so"))
    let registry = try StageRegistry.withPlugin(folder("plugin.so"))
    let stage = try #require(registry.stages(in: DecodeSlot.self).first { $0.name == "fake" })
    let session = try stage.withDefaults().make(in: StageContext()).makeSession()
    let bytes = SharedBytes(utf8: "FAKE" + letter)
    let probe = try session.probe(bytes, limits: Limits())
    return try session.decode(bytes, probe: probe, plan: DecodePlan(), checkpoint: checkpoint ?? unlimited)
  }

  private func darkened(_ stage: String) throws -> [UInt8] {
    try CompiledPlugin.make(CPluginSource.transform(name: "darken"), at: folder("plugin.so"))
    let configuration = try read("{plugins: \"plugin.so\", input: \"a\", transform: \(stage)}")
    let transform = try #require(configuration.transform.first).stage.make(in: StageContext())
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: 2, height: 1))
    try image.withUnsafeMutableBytes(ofPlane: 0) { $0.copyBytes(from: [100, 200, 0, 4, 8, 12]) }
    let result = try transform.apply(
      to: image,
      context: TransformContext(
        wanted: PixelForm(), background: .white, converter: StandardPixelConverter(), checkpoint: unlimited))
    return result.withUnsafeBytes(ofPlane: 0) { Array($0.prefix(6)) }
  }

  private func read(_ text: String) throws -> PipelineConfiguration {
    try PipelineConfiguration(
      text: Array(text.utf8), file: nil, folder: folder.path, registry: .standard, environment: [:])
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch {
      return "\(error)".split(separator: "\n").map(String.init)
    }
  }
}
