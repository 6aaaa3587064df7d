import StandardStages
import Testing

/// A plugin in Swift brings stages that nothing tells from built-in ones.
struct SwiftPluginTests {
  @Test func itsStagesAreRegisteredWithTheirOptions() throws {
    let registry = try StageRegistry.withPlugin(BuiltPlugins.path("libWatermark.so"))
    let plugin = try #require(registry.plugins.first)
    #expect(plugin.kind == .swift)
    #expect(plugin.stages.map(\.name) == ["watermark"])
    let description = try #require(registry.descriptions.last)
    #expect(description.slot == "transform")
    #expect(description.options.map(\.name) == ["mark", "size", "color", "opacity", "position", "margin"])
    #expect(description.options[3].defaultValue.compactText == "0.5")
    #expect(description.schema.compactText.contains(#""top left""#))
  }

  @Test func aSecondLoadBringsNothingTwice() throws {
    let path = try BuiltPlugins.path("libWatermark.so")
    var registry = try StageRegistry.withPlugin(path)
    let count = registry.descriptions.count
    #expect(try registry.loadPlugins(at: path).map(\.path) == [path])
    #expect(registry.descriptions.count == count && registry.plugins.count == 1)
  }

  @Test func aFolderGivesAllOfItsPlugins() throws {
    let path = try BuiltPlugins.path("libWatermark.so")
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    var registry = StageRegistry.standard
    let plugins = try registry.loadPlugins(at: "/" + folder)
    #expect(
      plugins.flatMap(\.stages).map(\.name).filter { ["pnm", "watermark"].contains($0) } == ["pnm", "watermark"])
  }

  @Test func itsOptionsAreReadAndItsWorkIsDone() throws {
    let path = try BuiltPlugins.path("libWatermark.so")
    let text = """
      {plugins: ["\(path)"], input: "a", transform: {
        use: "watermark", mark: ["#.", ".#"], size: 0.5, margin: 0, opacity: 0.5, color: "#ff0000", position: "top left"}}
      """
    let configuration = try PipelineConfiguration(
      text: Array(text.utf8), file: nil, folder: "", registry: .standard, environment: [:])
    let transform = try #require(configuration.transform.first).stage.make(in: StageContext())
    var image = try PixelImage(layout: .rgb, size: PixelSize(width: 4, height: 4))
    try image.withUnsafeMutableBytes(ofPlane: 0) { _ = $0.initializeMemory(as: UInt8.self, repeating: 101) }
    let result = try transform.apply(
      to: image,
      context: TransformContext(
        wanted: PixelForm(), background: .white, converter: StandardPixelConverter(),
        checkpoint: DecodeCheckpoint(cpuTime: .seconds(1000))))
    // A mark of 2 × 2 cells, half as wide as the picture: a cell is a pixel. Half of red over 101 is (178, 50.5, 50.5).
    for y in 0..<4 {
      for x in 0..<4 {
        let pixel = result.withUnsafeBytes(ofPlane: 0) { bytes in
          (0..<3).map { bytes[y * result.planes[0].bytesPerRow + x * 3 + $0] }
        }
        #expect(pixel == (x == y && x < 2 ? [178, 51, 51] : [101, 101, 101]), "\(x), \(y)")
      }
    }
  }

  @Test func mistakesInThePluginsSlotStandBeforeOthers() throws {
    let text = #"{plugins: ["/nowhere/a.so", 3], input: "a", transform: "watermrak"}"#
    let error = #expect(throws: ConfigurationError.self) {
      try PipelineConfiguration(
        text: Array(text.utf8), file: "config.json", folder: "", registry: .standard, environment: [:])
    }
    let lines = error.map { "\($0)".split(separator: "\n").map(String.init) } ?? []
    #expect(lines.first == "config.json: plugins[1]: 3 is not a string", "\(lines)")
    let missing = #expect(throws: ConfigurationError.self) {
      try PipelineConfiguration(
        text: Array(#"{input: "a", plugins: ["/nowhere/a.so"]}"#.utf8), file: "config.json", folder: "",
        registry: .standard, environment: [:])
    }
    #expect(missing.map { "\($0)" } == "config.json: plugins[0]: /nowhere/a.so: No such file or directory")
  }
}
